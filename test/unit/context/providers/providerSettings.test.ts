import assert from 'node:assert/strict';
import { parseProviderUri } from '../../../../src/context/common/providers/providerUri';
import { listProviders, type ProviderSettingsLevels } from '../../../../src/context/common/providers/providerSettings';

const folder = 'file:///w/my%20app';

function list(levels: Partial<ProviderSettingsLevels>): ReturnType<typeof listProviders> {
  return listProviders({
    user: {},
    workspace: {},
    folders: [{ uri: folder, settings: {} }],
    isTrusted: true,
    ...levels,
  });
}

const ids = ({ entries }: ReturnType<typeof listProviders>): string[] => entries.map(({ id }) => id);
const messages = ({ problems }: ReturnType<typeof listProviders>): string[] =>
  problems.map(({ id, message }) => `${id}: ${message}`);

describe('the key of a provider', () => {
  for (const [key, kind, where] of [
    ['https://example.com/api', 'endpoint', 'https://example.com/api'],
    ['http://127.0.0.1:1/#one', 'endpoint', 'http://127.0.0.1:1/'],
    ['https://example.com/p.js', 'remoteModule', 'https://example.com/p.js'],
    ['https+js://example.com/p', 'remoteModule', 'https://example.com/p'],
    [
      'https://openctx.org/npm/@openctx/provider-links',
      'remoteModule',
      'https://openctx.org/npm/@openctx/provider-links',
    ],
    ['file:///a/my file.mjs', 'module', 'file:///a/my%20file.mjs'],
    ['/a/my file.mjs', 'module', 'file:///a/my%20file.mjs'],
    ['C:\\a b\\p.js', 'module', 'file:///C:/a%20b/p.js'],
    ['./p v.ts', 'module', 'file:///w/my%20app/p%20v.ts'],
    ['tools/p.cjs', 'module', 'file:///w/my%20app/tools/p.cjs'],
    ['../p.js', 'module', 'file:///w/p.js'],
    ['${workspaceFolder}/p.js', 'module', 'file:///w/my%20app/p.js'],
    ['file://${workspaceFolder}/p.js#two', 'module', 'file:///w/my%20app/p.js'],
    ['data:text/javascript,export default {}', 'module', 'data:text/javascript,export default {}'],
    ['@scope/provider', 'package', '@scope/provider'],
    ['npm:provider/sub', 'package', 'provider/sub'],
  ] as const) {
    it(`names a place: ${key}`, () => {
      const parsed = parseProviderUri(key, folder);
      assert.ok(typeof parsed !== 'string', 'it names nothing');
      const { place } = parsed;
      assert.deepEqual([place.kind, place.kind === 'package' ? place.specifier : place.url], [kind, where]);
    });
  }

  for (const key of ['ftp://example.com/p', '', 'a b', 'x:${workspaceFolder}']) {
    it(`is explained when it names nothing: "${key}"`, () => {
      assert.equal(typeof parseProviderUri(key, folder), 'string');
    });
  }

  it('requires a folder if it refers to one', () => {
    for (const key of ['./p.js', 'provider', '${workspaceFolder}/p.js'])
      assert.match(JSON.stringify(parseProviderUri(key, undefined)), /no folder is open/);
  });
});

describe('the settings of providers', () => {
  it('are merged key by key, the most particular level last', () => {
    const result = list({
      user: { backline: { 'https://a/': { level: 'user' }, 'https://b/': true, 'https://c/': true } },
      workspace: { backline: { 'https://a/': { level: 'workspace' }, 'https://c/': false } },
      folders: [{ uri: folder, settings: { backline: { 'https://b/': { level: 'folder' } } } }],
    });
    assert.deepEqual(
      result.entries.map(({ id, settings, folders }) => [id, settings, folders]),
      [
        ['https://a/', { level: 'workspace' }, [folder]],
        ['https://b/', { level: 'folder' }, [folder]],
        ['https://a/ (2)', { level: 'user' }, []],
        ['https://b/ (2)', {}, []],
      ],
    );
  });

  it('are on for files outside the folders only if the user enables it', () => {
    const elsewhere = (levels: Partial<ProviderSettingsLevels>): unknown[] =>
      list(levels)
        .entries.filter(({ isOnOutsideFolders }) => isOnOutsideFolders)
        .map(({ settings, isUserDefined }) => [settings, isUserDefined]);
    const mine = { backline: { 'https://a/': { by: 'user' } } };
    const theirs = { backline: { 'https://a/': { by: 'workspace' } } };
    assert.deepEqual(elsewhere({ workspace: theirs }), []);
    assert.deepEqual(elsewhere({ folders: [{ uri: folder, settings: theirs }] }), []);
    assert.deepEqual(elsewhere({ workspace: theirs, folders: [] }), []);
    assert.deepEqual(elsewhere({ user: mine, workspace: theirs }), [[{ by: 'user' }, true]]);
    assert.deepEqual(elsewhere({ user: mine, workspace: { backline: { 'https://a/': false } } }), []);
  });

  it('may be those of OpenCtx; at the same level our own count more', () => {
    const user = {
      openctx: { 'https://a/': { from: 'openctx' }, 'https://b/': true },
      backline: { 'https://a/': true },
    };
    assert.deepEqual(
      list({ user }).entries.map(({ id, settings }) => [id, settings]),
      [
        ['https://a/', {}],
        ['https://b/', {}],
      ],
    );
  });

  it('of OpenCtx in a workspace are relative to where they are written, all others to the folder', () => {
    const both = (name: string) => ({ openctx: { [`./${name}o.js`]: true }, backline: { [`./${name}b.js`]: true } });
    const levels = { user: both('u'), workspace: both('w'), folders: [{ uri: folder, settings: both('f') }] };
    const places = (more: Partial<ProviderSettingsLevels>): (string | undefined)[] =>
      list({ ...levels, ...more }).entries.map(({ place }) => ('url' in place ? place.url.slice(8) : undefined));
    const [user, ofFolder] = [
      ['w/my%20app/uo.js', 'w/my%20app/ub.js'],
      ['w/my%20app/.vscode/fo.js', 'w/my%20app/fb.js'],
    ] as const;
    assert.deepEqual(places({}), [...user, 'w/my%20app/.vscode/wo.js', 'w/my%20app/wb.js', ...ofFolder]);
    assert.deepEqual(places({ workspaceBase: 'file:///all' }), [...user, 'all/wo.js', 'w/my%20app/wb.js', ...ofFolder]);
  });

  it('of the user are not the word of the user any more when a workspace makes them mean another place', () => {
    const isUserDefined = (key: string): (boolean | undefined)[] =>
      list({ user: { openctx: { [key]: true } }, workspace: { openctx: { [key]: true } } }).entries.map(
        (entry) => entry.isUserDefined,
      );
    assert.deepEqual([isUserDefined('./p.js'), isUserDefined('https://a/')], [[false], [true]]);
  });

  it('are passed through unchanged, and differ by name', () => {
    const one = { nested: { list: [1, null, 'x'] }, enable: false };
    const { entries } = list({ user: { backline: { 'https://a/#one': one, 'https://a/#two': { b: 1 } } } });
    assert.deepEqual(
      entries.map(({ title, settings, place }) => [title, settings, place]),
      [
        ['one', one, { kind: 'endpoint', url: 'https://a/' }],
        ['two', { b: 1 }, { kind: 'endpoint', url: 'https://a/' }],
      ],
    );
  });

  it('are on in the folders that say so', () => {
    const other = 'file:///w/other';
    const { entries } = list({
      workspace: { backline: { 'https://a/': true } },
      folders: [
        { uri: folder, settings: {} },
        { uri: other, settings: { backline: { 'https://a/': false, './p.js': true } } },
      ],
    });
    assert.deepEqual(
      entries.map(({ id, folders, isOnOutsideFolders }) => [id, folders, isOnOutsideFolders]),
      [
        ['https://a/', [folder], false],
        ['./p.js', [other], false],
      ],
    );
  });

  it('stay off with a reason if they are invalid', () => {
    const result = list({
      user: {
        backline: { 'https://a/': 'on', 'https://b/': { selectorMatch: 'some' }, 'ftp://c/': true, 'https://d/': true },
      },
    });
    assert.deepEqual(ids(result), ['https://d/']);
    assert.equal(messages(result).length, 3);
  });

  it('take null for off, without a word', () => {
    const result = list({ user: { backline: { 'https://a/': null } } });
    assert.deepEqual([ids(result), messages(result)], [[], []]);
  });

  it('of a setting that is no object report nothing', () => {
    assert.deepEqual(ids(list({ user: { backline: ['https://a/'], openctx: 7 } })), []);
  });

  it('of an untrusted workspace stay off, and say so; those of the user are on with the settings of the user', () => {
    const result = list({
      isTrusted: false,
      user: { backline: { 'https://a/': { mine: true } } },
      workspace: { backline: { 'https://a/': { theirs: true }, 'https://b/': true, 'https://c/': false } },
      folders: [{ uri: folder, settings: { backline: { './p.js': true } } }],
    });
    assert.deepEqual(
      result.entries.map(({ id, settings }) => [id, settings]),
      [['https://a/', { mine: true }]],
    );
    assert.deepEqual(
      messages(result).map((message) => message.replace(/: This provider comes.*/, '')),
      ['https://b/', './p.js'],
    );
  });

  it('of the user do not run code of an untrusted workspace', () => {
    const keys = ['${workspaceFolder}/p.js', 'provider', '/w/my app/p.js', 'file:///W/My%20App/q.js', './p.js'];
    const result = list({
      isTrusted: false,
      user: { backline: Object.fromEntries(keys.map((key) => [key, true])) },
    });
    assert.deepEqual(ids(result), []);
    assert.equal(result.problems.length, keys.length);
  });

  it('leave `openctx.providers` alone where `openctx.enable` is off', () => {
    const idsOf = (user: object, workspace: object): string[] =>
      listProviders({ user, workspace, folders: [], isTrusted: true }).entries.map(({ id }) => id);
    const providers = { backline: { 'https://a/': true }, openctx: { 'https://b/': true } };
    assert.deepEqual(idsOf({ ...providers, openctxEnable: false }, {}), ['https://a/']);
    assert.deepEqual(idsOf({ ...providers, openctxEnable: 'no' }, {}), ['https://b/', 'https://a/']);
    const inFolder = (folder: object): readonly string[] => {
      const folders = [{ uri: 'file:///w', settings: folder }];
      const { entries } = listProviders({
        user: { ...providers, openctxEnable: false },
        workspace: {},
        folders,
        isTrusted: true,
      });
      return entries.filter((entry) => entry.folders.length > 0).map(({ id }) => id);
    };
    assert.deepEqual(inFolder({ openctxEnable: true }), ['https://b/', 'https://a/'], 'the folder knows better');
    assert.deepEqual(inFolder({}), ['https://a/']);
  });
});
