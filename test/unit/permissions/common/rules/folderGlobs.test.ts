import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readlink, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import fc from 'fast-check';
import { toToolRequest } from '../../../../../src/acp/common/approvals/toolRequests';
import { ExcludeList } from '../../../../../src/editor/common/excludeList';
import { ProtectedFiles } from '../../../../../src/editor/common/protection/protectedFiles';
import { DiskEditor } from '../../../../../src/editor/node/diskEditor';
import { decideRequest } from '../../../../../src/permissions/common/decide';
import type { PermissionRule } from '../../../../../src/permissions/common/rules/permissionRules';
import { globOfFolder, RuleGlobs } from '../../../../../src/permissions/common/rules/ruleGlobs';
import { only } from '../../../../support/only';

const oddNames = [
  ...['{a,b}', '[ab]', '[!a]', '[[a]]', '(a)', '(a|b)', 'a+', '+(a)', '!(a)', '@(a)', 'a b', 'a*', 'a?', '{1..3}'],
  ...[
    '[',
    ']',
    '{',
    '}',
    'a)',
    'a\\b',
    'a|b',
    '$a',
    '^a',
    'a.b',
    '"a"',
    "'a'",
    '!a',
    '@scope',
    '[id]',
    '-a',
    'a.',
    'a ',
  ],
];
/** What a glob made of such names could find instead. */
const otherNames = ['a', 'b', 'ab', 'aa', '1', '2', 'i', 'id', 'A', 'a/b', 'axb', 'ax'];

describe('the glob of a folder', () => {
  it('matches what is in it, whatever its name is, and nothing else', () => {
    const globs = new RuleGlobs();
    for (const name of oddNames) {
      const glob = globOfFolder(`/r/${name}`);
      const found = [...oddNames, ...otherNames].filter((one) => globs.isMatch(glob, `/r/${one}/.x/f`, 'allow'));
      assert.deepEqual(found, [name], glob);
    }
  });

  it('has slashes, as globs of paths of Windows do', () => {
    const globs = new RuleGlobs();
    assert.equal(globOfFolder('C:\\work\\app'), 'C:/work/app/**');
    assert.equal(globOfFolder('/'), '/**');
    const glob = globOfFolder('C:\\work\\{a,b} (1)');
    const inFolder = ['C:\\work\\{a,b} (1)\\x', 'C:/work/{a,b} (1)/.x/y'];
    const elsewhere = ['C:\\work\\a (1)\\x', 'C:\\work\\a 1\\x', 'C:\\work\\{a,b} (1).\\x', 'D:\\work\\{a,b} (1)\\x'];
    for (const one of inFolder) assert.ok(globs.isMatch(glob, one, 'allow'), one);
    for (const one of elsewhere) assert.ok(!globs.isMatch(glob, one, 'allow'), one);
  });
});

only('where names can have any character', process.platform === 'linux').describe('a rule for a folder', () => {
  let root: string;
  let folder: string;
  const globs = new RuleGlobs();
  before(async () => {
    root = await realpath(await mkdtemp(path.join(tmpdir(), 'backline-folder-rules-')));
    folder = path.join(root, 'ws');
    for (const name of [...oddNames, ...otherNames, 'a/deep', 'Src', 'src', 'src./x']) {
      await mkdir(path.join(folder, name), { recursive: true });
      await writeFile(path.join(folder, name, 'f'), '');
    }
    await mkdir(path.join(root, 'outside'));
    await writeFile(path.join(root, 'outside', 'f'), '');
    for (const inside of ['a', 'src', '{a,b}', 'a/deep']) {
      const links = {
        up: '..',
        out: path.join(root, 'outside'),
        sibling: path.join(folder, 'b'),
        self: '.',
        file: path.join(folder, 'b', 'f'),
        broken: path.join(root, 'outside', 'new'),
        loop: 'loop',
      };
      for (const [name, target] of Object.entries(links)) await symlink(target, path.join(folder, inside, name));
    }
    for (const inside of ['a', 'src', '{a,b}']) await symlink(inside, path.join(folder, `to ${inside}`));
  });
  after(() => rm(root, { recursive: true, force: true, maxRetries: 5 }));

  /** Where the system finds a file, or would make it. Written without the code that is tested. */
  async function placeOf(file: string): Promise<string> {
    const real = await realpath(file).catch(() => undefined);
    if (real !== undefined) return real;
    const parent = await placeOf(path.dirname(file));
    const target = await readlink(file).catch(() => undefined);
    const isMissing = target === undefined || target === path.basename(file);
    return isMissing ? path.join(parent, path.basename(file)) : await placeOf(path.resolve(parent, target));
  }

  const part = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom('up', 'out', 'sibling', 'self', 'file', 'broken', 'loop') },
    { weight: 4, arbitrary: fc.constantFrom('.', '..', '', 'f', 'new', 'deep', 'F', 'f.', 'f ', '...') },
    {
      weight: 2,
      arbitrary: fc.constantFrom('a', 'b', 'src', 'Src', 'src.', 'SRC', 'to a', 'to src', 'to {a,b}', 'ws'),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom('*', '**', '{f,..}', '[f]', '~', '$HOME', '%2e%2e', '..\\f', '#', '?', '\n'),
    },
  );
  const paths = fc
    .record({
      start: fc.constantFrom('', 'ws:', 'ws:', 'rule:', 'rule:', 'rule:', 'file:'),
      parts: fc.array(part, { maxLength: 5 }),
    })
    .map((one) => ({ ...one, text: one.parts.join('/') }));
  const ruleFolders = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom('a', 'src', 'a/deep', 'to a', 'src.') },
    { weight: 1, arbitrary: fc.constantFrom(...oddNames) },
  );
  const kinds = fc.constantFrom('read', 'edit', 'delete', 'move', 'other');

  it('allows only what lies in it on the disk, however a request names it', async () => {
    const editor = new DiskEditor([folder], new ExcludeList([]), () => new ProtectedFiles());
    const counts = { allowed: 0, outside: 0 };
    const cases = fc.record({ name: ruleFolders, path: paths, kind: kinds, hasDiff: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(cases, async ({ name, path: { start, text }, kind, hasDiff }) => {
        const ruleFolder = path.join(folder, name);
        const startOf = { '': '', 'ws:': `${folder}/`, 'rule:': `${ruleFolder}/`, 'file:': `file://${ruleFolder}/` };
        const named = `${startOf[start]}${text}`;
        const content = hasDiff ? [{ type: 'diff' as const, path: named, oldText: '', newText: 'x' }] : [];
        const call = { name: 'tool', title: 'Title', kind, locations: [], content, rawInput: { path: named } };
        const request = await toToolRequest(call, {
          agent: 'demo',
          cwd: folder,
          resolve: (one) => editor.realPathOf(one),
          protectionOf: () => Promise.resolve(undefined),
        });
        const rule: PermissionRule = { effect: 'allow', pathGlob: globOfFolder(ruleFolder), scope: 'always' };
        const { answer } = decideRequest(request, { rules: [rule], policy: {}, globs, isProtected: () => false });
        const plain = named.replace(/^file:\/\//, '');
        const file = path.isAbsolute(plain) ? plain : `${folder}/${plain}`;
        // Some programs remove `..` before they follow links, and others after that.
        const places = [await placeOf(file), await placeOf(path.resolve(file))];
        const isInside = places.every((place) => `${place}/`.startsWith(`${ruleFolder}/`));
        if (!isInside) counts.outside++;
        if (answer !== 'allow') return;
        counts.allowed++;
        assert.ok(isInside, `${named} is ${places.join(' or ')}`);
      }),
      { numRuns: 3_000 },
    );
    assert.ok(counts.allowed > 300 && counts.outside > 300, JSON.stringify(counts));
  });

  it('allows the files in it by their plain names', async () => {
    const editor = new DiskEditor([folder], new ExcludeList([]), () => new ProtectedFiles());
    for (const name of oddNames) {
      const file = await editor.realPathOf(path.join(folder, name, 'f'));
      assert.ok(globs.isMatch(globOfFolder(path.join(folder, name)), file, 'allow'), name);
    }
  });
});
