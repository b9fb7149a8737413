paint(stored('theme'));
for (const node of document.querySelectorAll('.js')) node.hidden = false;
root.dataset.ready = 'true';
