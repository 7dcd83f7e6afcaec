import assert from 'node:assert/strict';
import { access, rm } from 'node:fs/promises';
import * as vscode from 'vscode';
import { settingIds } from '../../src/manifest';
import { configureProviders, hangingModule, hoverTexts, itemModule, waitingModule } from './support/context';
import { eventually } from '../support/eventually';
import { closeAll, inWorkspace, setSetting, show, type, writeInWorkspace } from './support/workspace';

/** A call to a provider has failed after 10 s: nobody waited for it who is answered before. */
const providerMs = 9_000;
const text = 'one\nconst two = alpha(1);\nthree\n';

/** Hovers promise an answer, and VS Code says "Loading…" until it is there. */
describe('hovers over the items of slow context providers', () => {
  let editor: vscode.TextEditor;
  const alpha = new vscode.Position(1, 14);

  beforeEach(async () => {
    await writeInWorkspace('../own-providers/waiting.mjs', waitingModule);
    await writeInWorkspace('../own-providers/hanging.mjs', hangingModule);
    await writeInWorkspace('../own-providers/narrow.mjs', itemModule('Narrow', 1, 12, 17));
    editor = await show(await writeInWorkspace('context/sample.txt', text));
  });

  afterEach(async () => {
    await closeAll();
    await configureProviders(undefined);
    await setSetting(settingIds.contextHoverTimeoutMs, undefined);
    await rm(inWorkspace('context'), { recursive: true });
    await rm(inWorkspace('../own-providers'), { recursive: true, force: true });
  });

  async function titlesAt(position: vscode.Position): Promise<string[]> {
    const found = await hoverTexts(editor.document, position);
    return found.flatMap((part) => /^\*\*(\w+)/.exec(part)?.[1] ?? []);
  }

  async function timed<T>(work: Promise<T>): Promise<[T, ms: number]> {
    const startedAt = performance.now();
    return [await work, performance.now() - startedAt];
  }

  it('show what is known after an edit, and what is fresh the next time', async () => {
    await setSetting(settingIds.contextHoverTimeoutMs, 10_000);
    await configureProviders({ '../own-providers/waiting.mjs': true });
    await eventually('the first answer', async () => assert.deepEqual(await titlesAt(alpha), ['Of4']));
    await type(editor, new vscode.Position(0, 0), 'zero\n');
    const [moved, ms] = await timed(titlesAt(alpha.translate(1)));
    assert.deepEqual(moved, ['Of4']);
    assert.ok(ms < providerMs, `it took ${ms} ms, as if it waited for the provider`);
    await writeInWorkspace('../own-providers/go.txt', '');
    await eventually('the fresh answer', async () => {
      assert.deepEqual(await titlesAt(alpha.translate(1)), ['Of5']);
    });
  });

  it('end in time when the only provider never answers', async () => {
    await setSetting(settingIds.contextHoverTimeoutMs, 200);
    await configureProviders({ '../own-providers/hanging.mjs': true });
    await eventually('the question', () => access(inWorkspace('../own-providers/asked.txt')));
    const [found, ms] = await timed(titlesAt(alpha));
    assert.deepEqual(found, []);
    assert.ok(ms < providerMs, `it took ${ms} ms`);
  });

  it('do not wait twice for one that never answers when another has something to say', async () => {
    await setSetting(settingIds.contextHoverTimeoutMs, 1_000);
    await configureProviders({ '../own-providers/hanging.mjs': true, '../own-providers/narrow.mjs': true });
    await eventually('the question', () => access(inWorkspace('../own-providers/asked.txt')));
    await titlesAt(alpha);
    await setSetting(settingIds.contextHoverTimeoutMs, 10_000);
    const [found, ms] = await timed(titlesAt(alpha));
    assert.deepEqual(found, ['Narrow']);
    assert.ok(ms < providerMs, `it took ${ms} ms`);
  });
});
