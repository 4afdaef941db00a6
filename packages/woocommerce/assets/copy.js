// The copy buttons of entity and reference. Without a clipboard they stay hidden, and one tap selects the digits.
(function () {
  if (!navigator.clipboard) return;
  document.querySelectorAll('[data-balcao-copy]').forEach(function (button) {
    const text = button.textContent;
    button.hidden = false;
    button.addEventListener('click', async function () {
      await navigator.clipboard.writeText(button.dataset.balcaoCopy);
      button.textContent = button.dataset.done;
      setTimeout(() => (button.textContent = text), 2000);
    });
  });
})();
