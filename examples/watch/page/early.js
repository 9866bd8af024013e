// Chooses the theme before the first paint.
{
  let kept = null;
  try {
    kept = localStorage.getItem('theme');
  } catch {
    // The browser keeps nothing for this page.
  }
  const light = matchMedia('(prefers-color-scheme: light)').matches;
  document.documentElement.dataset.theme = kept === 'dark' || kept === 'light' ? kept : light ? 'light' : 'dark';
}

// A browser runs no modules from the disk.
if (location.protocol === 'file:') {
  addEventListener('DOMContentLoaded', () => {
    document.getElementById('disk').hidden = false;
    document.body.classList.add('local', 'starting');
  });
}
