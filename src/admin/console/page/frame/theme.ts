// Shows the page light or dark: as the system says, or as the user has chosen in this browser.

/** `system` follows the machine. */
export type Theme = 'system' | 'light' | 'dark';

const themes: readonly Theme[] = ['system', 'light', 'dark'];
const KEPT_AS = 'portico-theme';

/** The saved choice; a browser that saves nothing follows the machine. */
export function keptTheme(): Theme {
  try {
    const kept = localStorage.getItem(KEPT_AS);
    return themes.find((one) => one === kept) ?? 'system';
  } catch {
    return 'system';
  }
}

/** Shows the page in a theme. */
export function applyTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
}

/** Shows the page in a theme, and keeps the choice in this browser. */
export function keepTheme(theme: Theme): void {
  applyTheme(theme);
  try {
    localStorage.setItem(KEPT_AS, theme);
  } catch {
    // A browser that saves nothing forgets the choice with the tab.
  }
}

/** The theme that the switch chooses after this one. */
export function nextTheme(theme: Theme): Theme {
  return themes[(themes.indexOf(theme) + 1) % themes.length] ?? 'system';
}
