// `npm run bench:picture`: draws media/readme-speed.png from the results of the last `npm run bench`. `npm run bench:picture -- file`
// takes them from another file. Look at it before you commit it.
import { readFile } from 'node:fs/promises';
import { bootstrap } from './lib/bootstrap.mjs';

await bootstrap();
const { drawBenchPicture, rowsOfResults } = await import('./lib/bench/benchPicture.mjs');
const { benchResultsFile } = await import('./lib/bench/benchResults.mjs');
const { launchChromium } = await import('./lib/chromium.mjs');
const { inRoot } = await import('./lib/paths.mjs');
const { ensureBrowser } = await import('./lib/systemPackages.mjs');

const [file = benchResultsFile] = process.argv.slice(2);
const { rows, missing } = rowsOfResults(await readFile(file, 'utf8'));
if (missing.length > 0) console.error(`No results of ${missing.join(', ')}: they are left out.`);
await ensureBrowser();
const browser = await launchChromium();
try {
  const page = await browser.newPage({ deviceScaleFactor: 2 });
  await page.setContent(`<body style="margin: 0">${drawBenchPicture(rows)}</body>`);
  await page.locator('svg').screenshot({ path: inRoot('media', 'readme-speed.png'), omitBackground: true });
} finally {
  await browser.close();
}
console.log('media/readme-speed.png');
