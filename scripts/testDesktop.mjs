// Runs test/host in a desktop's VS Code, which is downloaded: `npm run test:desktop -- --vscode oldest amp` takes the oldest
// VS Code that the manifest claims, and the files whose path contains "amp". Where there is no display, Xvfb is one.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { bootstrap } from './lib/bootstrap.mjs';
import { readArguments, withDisplay } from './lib/vscode/desktop.mjs';
import { hasDisplay } from './lib/environment.mjs';
import { endWhenInterrupted, findOnPath } from './lib/processes.mjs';

await bootstrap();
endWhenInterrupted();
try {
  const { vscode, filters } = readArguments(process.argv.slice(2));
  const env = { ...process.env, BACKLINE_HOST: 'electron', ...(vscode && { BACKLINE_VSCODE: vscode }) };
  const [file = '', ...args] = withDisplay([process.execPath, 'scripts/testHost.mjs', ...filters], {
    platform: process.platform,
    hasDisplay: hasDisplay(),
    xvfbRun: await findOnPath('xvfb-run'),
  });
  const child = spawn(file, args, { env, stdio: 'inherit' });
  await once(child, 'exit');
  process.exitCode = child.exitCode ?? 1;
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
