import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import * as z from 'zod';

const Binding = z.object({ key: z.string(), command: z.string() });
const Manifest = z.object({
  contributes: z.object({ keybindings: z.array(z.object({ key: z.string(), when: z.string().optional() })) }),
});

/** What VS Code and its own extensions bind on this system. Comments stand around it. */
async function readDefaultKeys(): Promise<readonly z.infer<typeof Binding>[]> {
  const document = await vscode.workspace.openTextDocument(
    vscode.Uri.parse('vscode://defaultsettings/keybindings.json'),
  );
  const text = document.getText();
  const bindings = [...text.matchAll(/\{[^{}]*"key":[^{}]*"command":[^{}]*\}/g)].map(([json]) => json);
  return bindings.map((json) => {
    const [, key = ''] = /"key":\s*"([^"]*)"/.exec(json) ?? [];
    const [, command = ''] = /"command":\s*"([^"]*)"/.exec(json) ?? [];
    return Binding.parse({ key, command });
  });
}

describe('the keys of Backline that work everywhere', () => {
  it('are bound by nothing else in VS Code, also as the beginning of longer ones', async () => {
    const defaults = await readDefaultKeys();
    assert.ok(defaults.length > 500, `only ${defaults.length} default keys`);
    assert.ok(defaults.some(({ key }) => key === 'ctrl+k ctrl+s'));
    const manifest: unknown = vscode.extensions.getExtension('backline.backline')?.packageJSON;
    const { keybindings } = Manifest.parse(manifest).contributes;
    const everywhere = keybindings.filter(({ when }) => when === undefined || when === '!isMac || !terminalFocus');
    assert.ok(everywhere.length > 1);
    const others = defaults.filter(({ command }) => !command.startsWith('backline.'));
    const isTaken = (key: string): boolean =>
      others.some((other) => other.key === key || other.key.startsWith(`${key} `));
    assert.ok(isTaken('ctrl+k z'), 'one that is taken');
    const ofChanges = keybindings.filter(({ when = '' }) => when.includes('backline.review.'));
    const chords = ofChanges.filter(({ key }) => key.startsWith('ctrl+k '));
    assert.ok(chords.length > 4);
    assert.deepEqual(
      chords.filter(({ key }) => isTaken(key)),
      [],
    );
    assert.deepEqual(
      everywhere.filter(({ key }) => isTaken(key)),
      [],
    );
  });
});
