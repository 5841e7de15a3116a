// The keyboard shortcuts of the console, in all views.

import { useEffect } from 'preact/hooks';
import { goTo } from '../data/console-context.ts';
import { addressOf } from '../show/address.ts';
import { keyCommand } from './destinations.ts';

/** How long after `g` a second key still counts. */
const PREFIX_MS = 1_500;

/** Whether somebody types text, so that keys are letters. */
function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest('input, textarea, select, dialog') !== null;
}

/** Listens for the keys of the console: `/`, `?`, and `g` with a letter. */
export function useShortcuts(onHelp: () => void): void {
  useEffect(() => {
    let prefixAt = -PREFIX_MS;
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      const command = keyCommand(event.key, event.timeStamp - prefixAt < PREFIX_MS);
      prefixAt = command?.kind === 'prefix' ? event.timeStamp : -PREFIX_MS;
      if (command === undefined) return;
      event.preventDefault();
      if (command.kind === 'go') goTo(addressOf(command.view));
      if (command.kind === 'help') onHelp();
      if (command.kind === 'search') document.querySelector<HTMLElement>('main input[type=search]')?.focus();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [onHelp]);
}
