import { mkdir, writeFile } from 'node:fs/promises';
import * as path from 'node:path';
import type { Sandbox } from '../../../scripts/lib/sandbox.mjs';

/** All settings of the user that tests have written. VS Code notices a change by itself. */
export async function writeUserSettings({ dataDir }: Sandbox, settings: object): Promise<void> {
  const file = path.join(dataDir, 'data', 'Machine', 'settings.json');
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, JSON.stringify(settings));
}
