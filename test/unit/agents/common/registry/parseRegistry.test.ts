import assert from 'node:assert/strict';
import { knownAgents } from '../../../../../src/acp/common/catalogue/knownAgents';
import { parseNpmSpec } from '../../../../../src/agents/common/install/packageSpec';
import { parseRegistry } from '../../../../../src/agents/common/registry/parseRegistry';
import snapshot from '../../../../../src/agents/common/registry/snapshot.json';

const entry = {
  id: 'one',
  name: 'One',
  version: '1.2.3',
  description: 'An agent',
  distribution: { npx: { package: 'one@1.2.3', args: ['--acp'] } },
};
const parsed = (...agents: unknown[]): ReturnType<typeof parseRegistry> => parseRegistry({ version: '1.0.0', agents });

describe('the document of a registry', () => {
  it('is read with everything that is known of an agent', () => {
    const more = {
      authors: ['A', 'B'],
      license: 'MIT',
      repository: 'https://example.com/r',
      icon: 'https://e.com/i.svg',
    };
    assert.deepEqual(parsed({ ...entry, ...more })?.agents, [
      {
        ...{ id: 'one', name: 'One', version: '1.2.3', description: 'An agent', authors: ['A', 'B'], license: 'MIT' },
        ...{ repository: 'https://example.com/r', iconUrl: 'https://e.com/i.svg' },
        distributions: [{ kind: 'npx', package: 'one@1.2.3', args: ['--acp'], env: {} }],
      },
    ]);
  });

  it('is none if it has no list of agents', () => {
    for (const value of [undefined, null, [], 'text', {}, { agents: 'many' }, { agents: Array(3_000).fill(entry) }])
      assert.equal(parseRegistry(value), undefined);
  });

  it('keeps the other agents if the entry of one is invalid or there twice', () => {
    const invalid = [
      null,
      'one',
      { ...entry, id: '../one' },
      { ...entry, id: 'One' },
      { ...entry, id: 'x'.repeat(65) },
      { ...entry, id: 'two', version: '../../1' },
      { ...entry, id: 'two', version: '1.' },
      { ...entry, id: 'two', name: ' ' },
      { ...entry, id: 'two', description: 'x'.repeat(3_000) },
      { ...entry, id: 'two', distribution: undefined },
      { ...entry, name: 'Twice' },
    ];
    const result = parsed(entry, ...invalid);
    assert.deepEqual(
      result?.agents.map(({ name }) => name),
      ['One'],
    );
    assert.equal(result.leftOut, invalid.length);
  });

  it('does not mind unknown members, and wrong ones that are not needed', () => {
    const odd = { icon: 'javascript:alert(1)', website: 'file:///etc/passwd', license: 7, authors: 'me', preview: {} };
    const [agent] = parsed({ ...entry, ...odd })?.agents ?? [];
    assert.deepEqual(
      [agent?.iconUrl, agent?.website, agent?.license, agent?.authors],
      [undefined, undefined, undefined, []],
    );
  });

  it('leaves out distributions that are unknown, invalid or without an exact version', () => {
    const left = (distribution: object): unknown => parsed({ ...entry, distribution })?.agents[0]?.distributions;
    const start = { args: [], env: {} };
    assert.deepEqual(left({ docker: { image: 'x' }, npx: { package: 'one' }, uvx: { package: 'one>=1' } }), []);
    assert.deepEqual(left({ npx: { package: 'one@latest' }, uvx: { package: 'a==1.0' } }), [
      { kind: 'uvx', package: 'a==1.0', ...start },
    ]);
    assert.deepEqual(left({ npx: { package: 'one@1.0.0', env: { 'A=B': 'c' } } }), []);
    assert.deepEqual(left({ npx: { package: 'one@1.0.0', cmd: '../x' } }), []);
    const target = { archive: 'https://e.com/a.zip', cmd: './a', sha256: 'A'.repeat(64) };
    assert.deepEqual(
      left({ binary: { 'linux-x86_64': target, 'plan9-mips': target, 'darwin-x86_64': { cmd: 'a' } } }),
      [{ kind: 'binary', targets: { 'linux-x86_64': { ...target, ...start, sha256: 'a'.repeat(64) } } }],
    );
  });

  it('shows no character that cannot be seen', () => {
    const [agent] = parsed({ ...entry, name: 'O\u202ene', description: 'a\n\n b\u200b' })?.agents ?? [];
    assert.deepEqual([agent?.name, agent?.description], ['O[U+202E]ne', 'a b[U+200B]']);
  });
});

describe('the agents that ship with the extension', () => {
  const result = parseRegistry(snapshot);

  it('are all valid, with a way to install each', () => {
    assert.equal(result?.leftOut, 0);
    assert.ok(result.agents.length >= 10);
    for (const { id, distributions } of result.agents) assert.ok(distributions.length > 0, id);
  });

  it('are those that Backline knows, by their npm packages', () => {
    const packages = result?.agents.flatMap(({ distributions }) =>
      distributions.flatMap((item) => (item.kind === 'npx' ? [parseNpmSpec(item.package)?.name] : [])),
    );
    // amp-acp is not on npm.
    const known = knownAgents.flatMap(({ npmPackage = 'amp-acp' }) => (npmPackage === 'amp-acp' ? [] : [npmPackage]));
    assert.deepEqual(packages?.toSorted(), known.toSorted());
  });
});
