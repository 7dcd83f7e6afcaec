/** What the page of the chat weighs: script and style sheet as they ship, gzipped. */
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { pageBundle } from '../../scripts/lib/bundles/pageBundle.mjs';
import { printBenchLine } from '../lib/benchLine';

async function main(): Promise<void> {
  const { outputFiles } = await build({
    ...pageBundle({ name: 'chat', script: 'src/chat/browser/chatMain.tsx', style: 'src/chat/browser/chat.css' }),
    outdir: 'out/bench/chatBundle',
    minify: true,
    write: false,
    logLevel: 'warning',
  });
  const bytes = outputFiles.reduce((sum, { contents }) => sum + gzipSync(contents, { level: 9 }).length, 0);
  printBenchLine({ bench: 'chat.bundle', value: bytes / 1024, unit: 'KiB', bar: 200, better: 'lower' });
}

void main();
