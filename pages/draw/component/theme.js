// Popovers, menus and dialogs lie outside of the element whose colour scheme Streamlit sets. So the whole document
// takes this scheme; otherwise a dark popover would have the light theme's colours.

/** The document follows the theme; returns what ends that. */
export function followTheme() {
  const app = document.querySelector('[data-testid="stApp"]');
  if (!app) return () => {};
  const follow = () => {
    document.documentElement.style.colorScheme = getComputedStyle(app).colorScheme;
  };
  const observer = new MutationObserver(follow);
  observer.observe(app, { attributeFilter: ['class'] });
  follow();
  return () => observer.disconnect();
}
