/** Texts that would run, or change the page, if they were taken for anything but text. Each would set `hacked`. */
export const hostileTexts: readonly string[] = [
  '<img src=x onerror="window.hacked=1">',
  '<script>window.hacked=1</script>',
  '<svg onload="window.hacked=1"></svg>',
  '"><b id="hacked">bold</b>',
  "'-(window.hacked=1)-'",
  '${window.hacked=1}',
  '{{constructor.constructor("window.hacked=1")()}}',
  'javascript:window.hacked=1',
  '<iframe srcdoc="<script>parent.hacked=1</script>"></iframe>',
  '<a href="javascript:window.hacked=1" id="hacked">look</a>',
];

/** Addresses of the page that hold such texts. */
export const hostileAddresses: readonly string[] = [
  ...hostileTexts.slice(0, 4).map((text) => `#/source/${encodeURIComponent(text)}`),
  ...hostileTexts.slice(0, 3).map((text) => `#/request/${encodeURIComponent(text)}`),
  ...hostileTexts.slice(0, 3).map((text) => `#/try?q=${encodeURIComponent(text)}`),
  `#/requests?code=${encodeURIComponent(hostileTexts[0] ?? '')}`,
  `#/migration/${encodeURIComponent(hostileTexts[1] ?? '')}`,
  `#/config?file=${encodeURIComponent('../../../../etc/passwd')}`,
  `#/overview?runbook=${encodeURIComponent('../../package.json')}`,
  '#/javascript:window.hacked=1',
  '#javascript:window.hacked=1',
  '#/source/..%2f..%2fapi%2fsession',
  '#/__proto__/constructor?__proto__=1&constructor=2',
];

/** Asks a page whether anything of it has run, or has become part of the page. */
export const HACKED = `(() => {
  const odd = document.querySelectorAll('#hacked, main script, main iframe, main img[src="x"], main [onerror], main [onload], a[href^="javascript"]');
  return Number(window.hacked ?? 0) + odd.length;
})()`;
