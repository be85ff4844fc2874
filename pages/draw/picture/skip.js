// The way past the list of lessons, for those who use the keyboard.
export default function render({ data: [label], parentElement }) {
  let button = parentElement.querySelector('.pic-skip');
  if (!button) {
    button = document.createElement('button');
    button.type = 'button';
    button.className = 'pic-skip';
    button.addEventListener('click', () => {
      const cells = '.pic-figure [data-editable][tabindex="0"], .pic-figure .pic-cell[tabindex="0"]';
      const elsewhere = '[data-testid="stMain"] :is(button, input)';
      /** @type {HTMLElement | null} */
      const first = document.querySelector(cells) || document.querySelector(elsewhere);
      first?.focus();
    });
    parentElement.append(button);
  }
  button.textContent = label;
}
