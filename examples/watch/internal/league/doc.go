// Package league makes a static site from a folder of recordings: a list of matches, a report of each match with its
// recording beside it, a page of each player, and tables as CSV and Parquet.
//
// All files of the folder are recordings, whatever their names are, but for hidden ones and logs of damage. A recording
// is read once: what the site needs of it is kept in the folder cache of the site. The next run reads new and changed
// recordings only, and those that could not be read, or only in part. What the site has of a removed recording is
// removed.
//
// A match of two recordings counts twice: the league tells of recordings of the same match, but keeps both.
//
// # Persons
//
// A person is an alias of a small file, or else a name without the suffix that a host adds. See package report for the
// connections of one match. Players whose names a recording does not have are in its report and the tables only.
//
// # Ratings
//
// Ratings are those of Glicko (Glickman, 1999). A match is a rating period: each player has played against each
// opponent of the match, and the one with the higher score has won. If all players have teams, the teams' scores
// count, and there is no game within a team. Ratings begin at 1500 with a deviation of 350. The deviation grows from
// 50 to 350 in a year without a match.
//
// # Plots
//
// The list has the ratings of the eight best players over time, and the number of matches of each day, week, month or
// year. The page of a player has the own rating over time.
//
// # What is published
//
// The recordings are written as JSON lines without addresses, without queries of browsers and with zeros in place of
// passwords and of the client's own address in a Connect, unless Private is set.
package league
