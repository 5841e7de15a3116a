// The entry of the console's page, the script that the browser runs first.

import { h, render } from 'preact';
import { ConsoleApp } from './frame/app.ts';
import { applyTheme, keptTheme } from './frame/theme.ts';

const root = document.getElementById('app');
applyTheme(keptTheme());
if (root !== null) render(h(ConsoleApp, {}), root);
