/** The commands to type, to be copied. */
export const commands = `
for (const button of document.querySelectorAll('[data-copies]')) {
  button.addEventListener('click', async () => {
    const code = find(button.dataset.copies);
    try {
      await navigator.clipboard.writeText(code.textContent);
      button.textContent = 'Copied';
      setTimeout(() => { button.textContent = 'Copy'; }, 1500);
    } catch {
      /* Not allowed here: selected, it is one key press away. */
      getSelection().selectAllChildren(code);
    }
  });
}

note('open', openState === 'open' ? 'This page came through the door.' : 'This page was opened at the application itself.');
`;
