package gamespy_test

import (
	"fmt"
	"net/netip"
	"slices"
	"time"

	"github.com/bcwire/bcwire/gamespy"
)

func ExampleParse() {
	datagram := []byte(`\hostname\*Friday Night\mapname\DM\numplayers\2\maxplayers\8` +
		`\password\1\player_0\Dedicated Server\player_1\Ann\player_2\Bob\final\\queryid\2.1`)
	m, err := gamespy.Parse(datagram)
	if err != nil {
		fmt.Println(err)
		return
	}
	info := m.Pairs.ServerInfo()
	fmt.Printf("%q, %q, %d of %d players, password %v\n", // %q, because anybody may have sent the text
		info.HostName, info.MapName, info.NumPlayers, info.MaxPlayers, info.Password)
	fmt.Printf("%q\n", info.Players)
	fmt.Println("has a time limit:", !slices.Contains(info.Missing, "timelimit"))
	// Output:
	// "Friday Night", "DM", 2 of 8 players, password true
	// ["Dedicated Server" "Ann" "Bob"]
	// has a time limit: false
}

func ExampleResponder() {
	info := gamespy.NewServerInfo("Friday Night")
	info.NumPlayers, info.Players = 1, append(info.Players, "Ann")

	responder := gamespy.Responder{AnswerAll: true} // like the game
	from := netip.MustParseAddrPort("192.0.2.7:31337")
	for _, query := range []string{`\players\`, `\secure\ABCDEF`, `\nonsense\`} {
		datagrams, err := responder.Answer(time.Now(), from, []byte(query), &info)
		if err != nil {
			fmt.Println(err)
			continue
		}
		for _, d := range datagrams {
			fmt.Printf("%s\n", d) // send it to the source of the query
		}
	}
	// Output:
	// \player_0\Dedicated Server\player_1\Ann\final\\queryid\1.1
	// \validate\zfmiAycI\final\\queryid\2.1
	// \final\\queryid\3.1
}

func ExampleValidate() {
	answer, err := gamespy.Validate(gamespy.SecretKey, "LRPOPQ")
	fmt.Println(answer, err)
	// Output: hMwdTNWS <nil>
}

func ExampleAssembler() {
	var a gamespy.Assembler
	from := netip.MustParseAddrPort("192.0.2.7:22101")
	now := time.Now()
	for _, datagram := range []string{ // in the wrong order, without the second part
		`\player_1\Bob\final\\queryid\5.3`,
		`\hostname\Friday Night\queryid\5.1`,
	} {
		_, complete, err := a.Add(now, from, []byte(datagram))
		fmt.Println(complete, err)
	}
	for _, reply := range a.Expire(now.Add(5 * time.Second)) {
		fmt.Println(reply.Pairs, "incomplete:", reply.Incomplete)
	}
	// Output:
	// false <nil>
	// false <nil>
	// [{hostname Friday Night} {player_1 Bob}] incomplete: true
}

func ExampleListClient() {
	master := gamespy.ListServer{Challenge: "LRPOPQ"}
	var client gamespy.ListClient

	// Each line passes bytes in one direction of a TCP connection.
	login, _ := client.Receive(master.Greeting())
	list, _ := master.Receive(login, []netip.AddrPort{netip.MustParseAddrPort("192.0.2.7:22101")})
	_, _ = client.Receive(list)

	servers, err := client.Servers()
	fmt.Printf("%s\n%x\n%v %v\n", login, list, servers, err)
	// Output:
	// \gamename\bcommander\gamever\1.6\location\0\validate\hMwdTNWS\final\\queryid\1.1\\list\cmp\gamename\bcommander\final\
	// c000020756555c66696e616c5c
	// [192.0.2.7:22101] <nil>
}

// A server calls Due in its loop. In this example a player joins after 10 s.
func ExampleBeacon() {
	beacon := gamespy.Beacon{Port: gamespy.DefaultPort}
	info := gamespy.NewServerInfo("Friday Night")
	begin := time.Now()
	for second := range 100 {
		if second == 10 {
			info.NumPlayers++
		}
		now := begin.Add(time.Duration(second) * time.Second)
		if datagram := beacon.Due(now, &info); datagram != nil {
			fmt.Printf("%2d s  %s\n", second, datagram) // send it to every master
		}
	}
	fmt.Printf("exit  %s\n", beacon.Exit())
	// Output:
	//  0 s  \heartbeat\22101\gamename\bcommander
	// 10 s  \heartbeat\22101\gamename\bcommander\statechanged\1
	// 70 s  \heartbeat\22101\gamename\bcommander
	// exit  \heartbeat\22101\gamename\bcommander\statechanged\2
}
