package query

const ListTimeout = listTimeout

var MayQuery = mayQuery
