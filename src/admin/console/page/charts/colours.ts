// Reads the colours of the style sheet for charts that are drawn on a canvas, because a canvas knows no CSS variables.

/** The colour that a custom property has at this moment, light or dark. */
export function cssColour(name: string): string {
  const probe = document.createElement('i');
  probe.style.color = `var(--${name})`;
  probe.hidden = true;
  document.body.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

/** Calls back whenever the theme changes, until the returned function is called. */
export function onThemeChange(changed: () => void): () => void {
  const system = matchMedia('(prefers-color-scheme: dark)');
  const observer = new MutationObserver(changed);
  observer.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });
  system.addEventListener('change', changed);
  return () => {
    observer.disconnect();
    system.removeEventListener('change', changed);
  };
}
