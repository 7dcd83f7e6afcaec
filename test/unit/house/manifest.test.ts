import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { defaultExclude } from '../../../src/editor/common/excludeList';
import { defaultProtectedFiles } from '../../../src/editor/common/protection/protectedFiles';
import { commandIds, contextKeys, settingIds } from '../../../src/manifest';

const Manifest = z.object({
  version: z.string(),
  engines: z.object({ vscode: z.string() }),
  devDependencies: z.record(z.string(), z.string()),
  activationEvents: z.array(z.string()),
  extensionKind: z.array(z.string()),
  capabilities: z.object({
    untrustedWorkspaces: z.object({ supported: z.string(), restrictedConfigurations: z.array(z.string()) }),
    virtualWorkspaces: z.object({ supported: z.string(), description: z.string() }),
  }),
  contributes: z.object({
    commands: z.array(
      z.object({ command: z.string(), title: z.string(), category: z.string(), enablement: z.string().optional() }),
    ),
    keybindings: z.array(
      z.object({ command: z.string(), key: z.string(), mac: z.string().optional(), when: z.string().optional() }),
    ),
    configuration: z.array(
      z.object({
        properties: z.record(
          z.string(),
          z.object({ type: z.unknown(), markdownDescription: z.string(), default: z.unknown() }),
        ),
      }),
    ),
  }),
});

const text = readFileSync('package.json', 'utf8');
const manifest = Manifest.parse(JSON.parse(text));
const nls = z.record(z.string(), z.string()).parse(JSON.parse(readFileSync('package.nls.json', 'utf8')));
const declaredSettings = manifest.contributes.configuration.flatMap(({ properties }) => Object.keys(properties));

describe('package.json', () => {
  it('declares the commands that the code registers, and no other', () => {
    const declared = manifest.contributes.commands.map(({ command }) => command);
    assert.deepEqual(declared.sort(), Object.values(commandIds).sort());
  });

  it('names only files that are packaged', () => {
    const packaged = new Set(readFileSync('test/package/expected-files.txt', 'utf8').split('\n'));
    const named = [...text.matchAll(/"(?:\.\/)?((?:media|dist)\/[^"]+)"/g)].map(([, file = '']) => file);
    assert.ok(named.includes('media/backline.svg'));
    assert.deepEqual(
      named.filter((file) => !packaged.has(file)),
      [],
    );
  });

  it('declares the settings that the code reads, and no other', () => {
    assert.deepEqual(declaredSettings.sort(), Object.values(settingIds).sort());
  });

  const defaultOf = (id: string): unknown =>
    manifest.contributes.configuration.flatMap(({ properties }) => properties[id] ?? [])[0]?.default;

  it('keeps the same secrets out of the box as the editor port', () => {
    assert.deepEqual(defaultOf(settingIds.exclude), Object.fromEntries(defaultExclude.map((glob) => [glob, true])));
  });

  it('protects the same files out of the box as the editor port', () => {
    const expected = defaultProtectedFiles.map((glob) => [glob, true]);
    assert.deepEqual(defaultOf(settingIds.protectedFiles), Object.fromEntries(expected));
  });

  it('gives each setting one type, as the Settings editor shows no other', () => {
    for (const { properties } of manifest.contributes.configuration) {
      for (const [id, { type }] of Object.entries(properties)) assert.equal(typeof type, 'string', id);
    }
  });

  it('binds keys to its own commands, each once, and on macOS with Cmd', () => {
    const { commands, keybindings } = manifest.contributes;
    const declared = commands.map(({ command }) => command);
    assert.equal(new Set(keybindings.map(({ key }) => key)).size, keybindings.length);
    for (const { command, key, mac } of keybindings) {
      assert.ok(declared.includes(command), command);
      assert.equal(mac, key.replace('ctrl', 'cmd'), command);
    }
  });

  it('leaves Cmd+K to the terminal of macOS, which is cleared by it', () => {
    const taking = manifest.contributes.keybindings.filter(({ mac = '', when = '' }) => {
      return mac.startsWith('cmd+k') && !/!terminalFocus|editorTextFocus|questionWaits/.test(when);
    });
    assert.deepEqual(taking, []);
  });

  it('answers by key only while a question waits', () => {
    const { commands, keybindings } = manifest.contributes;
    const waits = contextKeys.chatQuestionWaits;
    const keysOf = (id: string) => keybindings.filter(({ command }) => command === id);
    assert.deepEqual(
      [commandIds.chatAllow, commandIds.chatDeny].flatMap((id) => keysOf(id).map(({ key, when }) => [key, when])),
      [
        ['ctrl+k y', waits],
        ['ctrl+k n', waits],
      ],
    );
    for (const id of [commandIds.chatAllow, commandIds.chatDeny]) {
      assert.equal(commands.find(({ command }) => command === id)?.enablement, waits);
    }
  });

  it('takes every text from package.nls.json, which holds no other', () => {
    const used = [...text.matchAll(/"%([\w.]+)%"/g)].map((match) => match[1] ?? '');
    assert.deepEqual([...new Set(used)].sort(), Object.keys(nls).sort());
  });

  it('gives commands titles in title case, without articles', () => {
    const small = new Set(['and', 'as', 'by', 'for', 'from', 'in', 'of', 'or', 'to', 'with']);
    const titles = manifest.contributes.commands.map(({ title }) => nls[title.replaceAll('%', '')] ?? title);
    const wrong = titles.filter((title) =>
      title.split(' ').some((word) => !(small.has(word) || /^[A-Z]/.test(word)) || /^(?:a|an|the)$/i.test(word)),
    );
    assert.deepEqual(wrong, []);
  });

  it('starts only when VS Code is ready, beside the files', () => {
    assert.deepEqual(manifest.activationEvents, ['onStartupFinished']);
    assert.deepEqual(manifest.extensionKind, ['workspace']);
  });

  it('is honest about untrusted and virtual workspaces', () => {
    const { untrustedWorkspaces, virtualWorkspaces } = manifest.capabilities;
    assert.equal(untrustedWorkspaces.supported, 'limited');
    assert.equal(virtualWorkspaces.supported, 'limited');
    for (const id of untrustedWorkspaces.restrictedConfigurations) assert.ok(declaredSettings.includes(id), id);
  });

  it('pins the API types to the oldest VS Code it runs in, and every other package exactly', () => {
    assert.equal(manifest.engines.vscode, `^${manifest.devDependencies['@types/vscode'] ?? ''}`);
    for (const [name, version] of Object.entries(manifest.devDependencies)) assert.match(version, /^\d/, name);
  });

  it('has an entry for its version in the changelog', () => {
    assert.ok(readFileSync('CHANGELOG.md', 'utf8').includes(`## ${manifest.version}`));
  });
});
