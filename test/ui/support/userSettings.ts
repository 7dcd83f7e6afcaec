import { mkdir, writeFile } from 'node:fs/promises';
import * as path from 'node:path';
import type { Sandbox } from '../../../scripts/lib/vscode/sandbox.mjs';

/** The settings of the user that are not those of `WindowOptions`. */
export function userSettingsFile({ dataDir }: Sandbox): string {
  return path.join(dataDir, 'data', 'Machine', 'settings.json');
}

/** Replaces all settings in that file. VS Code notices a change by itself. */
export async function writeUserSettings(sandbox: Sandbox, settings: object): Promise<void> {
  const file = userSettingsFile(sandbox);
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, JSON.stringify(settings));
}
