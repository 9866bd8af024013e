// Tables are sorted by a click on a head: numbers by value, the largest first, and texts by the alphabet.

for (const table of document.querySelectorAll('table.sorts')) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    const button = document.createElement('button');
    button.type = 'button';
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener('click', () => {
      const value = (row) => row.cells[column].dataset.v ?? row.cells[column].textContent.trim();
      const rows = [...table.tBodies[0].rows];
      const numbers = rows.every((row) => !Number.isNaN(Number(value(row))));
      const down = head.ariaSort ? head.ariaSort === 'ascending' : numbers;
      const order = numbers ? (a, b) => value(a) - value(b) : (a, b) => value(a).localeCompare(value(b));
      rows.sort((a, b) => (down ? order(b, a) : order(a, b)));
      for (const other of heads) other.ariaSort = null;
      head.ariaSort = down ? 'descending' : 'ascending';
      table.tBodies[0].append(...rows);
    });
  });
}
