// Requests to the program that serves the page.

export const LOCAL = false;

// ask returns the status and the text of an answer.
export async function ask(name, query, signal) {
  const response = await fetch(`api/${name}${query && `?${query}`}`, { signal, cache: 'no-store' });
  return { status: response.status, body: await response.text() };
}

// start calls begin when there is a match.
export const start = (begin) => begin();
