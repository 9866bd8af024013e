// Runs SQL statements on DuckDB. It reads a JSON list of statements from standard input and writes
// a list of their results, {"columns": [...], "rows": [[...], ...]}. It ends with an error if
// DuckDB refuses a statement.
import { readFileSync } from 'node:fs';
import { DuckDBInstance } from '@duckdb/node-api';

// No extension is downloaded: those for Parquet and JSON are built in.
const instance = await DuckDBInstance.create(':memory:', { autoinstall_known_extensions: 'false' });
const connection = await instance.connect();
const results = [];
for (const statement of JSON.parse(readFileSync(0, 'utf8'))) {
  const reader = await connection.runAndReadAll(statement);
  results.push({ columns: reader.columnNames(), rows: reader.getRowsJson() });
}
process.stdout.write(JSON.stringify(results));
