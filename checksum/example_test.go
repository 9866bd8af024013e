package checksum_test

import (
	"fmt"
	"os"
	"strings"
	"testing/fstest"

	"github.com/bcwire/bcwire/checksum"
	"github.com/bcwire/bcwire/opcode"
)

func ExampleFileHash() {
	script := []byte("\x99N\x0d\x0a" + "time" + "the compiled script")
	fmt.Printf("%08X\n", checksum.FileHash(script))
	// Output: 8E3BC6D3
}

func ExampleStringHash() {
	fmt.Printf("%08X\n", checksum.StringHash("App.pyc"))
	fmt.Printf("%08X\n", checksum.StringHash("app.pyc"))
	// Output:
	// 373EB677
	// 20277067
}

// This example compares an installation with a manifest.
func ExampleCompare() {
	text := `{
		"schema": "bc-checksum-manifest/1",
		"rounds": [{
			"index": 3, "dir": "scripts/mainmenu", "filter": "*.pyc",
			"tree": {"files": [
				{"name": "KeyboardConfig.pyc", "content_hash": ["0x000000DC"]},
				{"name": "mainmenu.pyc", "content_hash": ["0xA730B12D"]}
			]}
		}]
	}`
	manifest, err := checksum.LoadManifest(strings.NewReader(text))
	if err != nil {
		fmt.Println(err)
		return
	}
	files := fstest.MapFS{ // or os.DirFS(dir)
		"Scripts/MainMenu/KeyboardConfig.pyc": {Data: []byte("n")},
		"Scripts/MainMenu/mainmenu.pyc":       {Data: []byte("mine")},
		"Scripts/MainMenu/cheat.pyc":          {Data: []byte("new")},
	}
	installed, err := checksum.Scan(files, manifest.Rounds)
	if err != nil {
		fmt.Println(err) // the other files are compared
	}
	found := checksum.Compare(manifest, installed)
	for _, f := range found {
		fmt.Println(f)
	}
	// Output:
	// scripts/mainmenu/mainmenu.pyc: differs: 0xcadcd2da, want 0xa730b12d
	// scripts/mainmenu/cheat.pyc: not expected: 0x00000214
}

// This example saves the hashes of an installation for a server without the game.
func ExampleScan() {
	files := fstest.MapFS{
		"scripts/App.pyc":                  {Data: []byte("app")},
		"scripts/Autoexec.pyc":             {Data: []byte("auto")},
		"scripts/ships/Galaxy.pyc":         {Data: []byte("ship")},
		"scripts/mainmenu/mainmenu.pyc":    {Data: []byte("menu")},
		"scripts/Multiplayer/Modifier.pyc": {Data: []byte("score")},
	}
	manifest, err := checksum.Scan(files, checksum.Rounds())
	if err != nil {
		fmt.Println(err)
		return
	}
	manifest.Name = "my mod"
	manifest.Rounds = manifest.Rounds[:1] // only the first round, to keep the output short
	if err := manifest.Save(os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	// {
	//  "schema": "bc-checksum-manifest/1",
	//  "name": "my mod",
	//  "game_version": "60",
	//  "ref_hash": "0x7E0CE243",
	//  "rounds": [
	//   {
	//    "index": 0,
	//    "dir": "scripts/",
	//    "filter": "App.pyc",
	//    "recursive": false,
	//    "dir_hash": "0x4DAFCB2F",
	//    "tree": {
	//     "files": [
	//      {
	//       "name": "App.pyc",
	//       "name_hash": "0x373EB677",
	//       "content_hash": [
	//        "0x0000024E"
	//       ],
	//       "verified": true
	//      }
	//     ],
	//     "dirs": []
	//    }
	//   }
	//  ]
	// }
}

// This example joins a client to a host that sends a mission script. On the wire, each call
// is a reliable message.
func ExampleServerExchange() {
	hosts := fstest.MapFS{
		"scripts/App.pyc":                  {Data: []byte("app")},
		"scripts/Autoexec.pyc":             {Data: []byte("auto")},
		"scripts/ships/Galaxy.pyc":         {Data: []byte("ship")},
		"scripts/mainmenu/mainmenu.pyc":    {Data: []byte("menu")},
		"scripts/Multiplayer/Modifier.pyc": {Data: []byte("score")},
	}
	clients := fstest.MapFS{}
	for name, file := range hosts {
		clients[name] = file
	}
	clients["scripts/Multiplayer/Modifier.pyc"] = &fstest.MapFile{Data: []byte("another score")}

	want, err := checksum.Scan(hosts, checksum.Rounds())
	if err != nil {
		fmt.Println(err)
		return
	}
	have, err := checksum.Scan(clients, checksum.Rounds())
	if err != nil {
		fmt.Println(err)
		return
	}
	server := &checksum.Server{Manifest: want, Policy: checksum.Strict, Files: hosts}
	client := &checksum.Client{Manifest: have}

	host, request := server.NewExchange()
	for toClient := opcode.Message(request); toClient != nil; {
		fmt.Println("host:  ", toClient)
		toHost, err := client.Receive(toClient)
		if err != nil {
			fmt.Println(err)
		}
		if file, ok := toClient.(*opcode.FileTransfer); ok && err == nil {
			path, _ := checksum.LocalPath(file.Name)
			fmt.Printf("client: received %s, %q\n", path, file.Data)
		}
		if toHost == nil {
			break
		}
		if toClient, err = host.Receive(toHost); err != nil {
			fmt.Println(err)
		}
	}
	fmt.Println("accepted:", host.Accepted())
	// Output:
	// host:   ChecksumRequest Index=0 Dir="scripts/" Filter="App.pyc" Recursive=false
	// host:   ChecksumRequest Index=1 Dir="scripts/" Filter="Autoexec.pyc" Recursive=false
	// host:   ChecksumRequest Index=2 Dir="scripts/ships" Filter="*.pyc" Recursive=true
	// host:   ChecksumRequest Index=3 Dir="scripts/mainmenu" Filter="*.pyc" Recursive=false
	// host:   ChecksumRequest Index=255 Dir="Scripts/Multiplayer" Filter="*.pyc" Recursive=true
	// host:   FileTransfer Name="Scripts/Multiplayer/Modifier.pyc" Data=73636f7265
	// client: received Scripts/Multiplayer/Modifier.pyc, "score"
	// host:   ChecksumComplete
	// accepted: true
}
