import assert from 'node:assert/strict';
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { ProcessAgentSetting } from '../../../../../src/acp/common/catalogue/agentSettings';
import type { ProcessEntry } from '../../../../../src/acp/node/catalogue/agentCatalogue';
import {
  allowedMcpServers,
  consentSubjectOfAgent,
  consentSubjectOfMcpServer,
  consentDecisionFor,
  requireConsent,
} from '../../../../../src/acp/node/catalogue/agentConsent';
import { answeringConsent } from '../../../../fake/answeringConsent';

describe('an agent that a workspace brings', () => {
  let work: string;
  beforeEach(async () => {
    work = await realpath(await mkdtemp(path.join(tmpdir(), 'backline-brought-')));
    await writeFile(path.join(work, 'agent.mjs'), 'one');
  });
  afterEach(() => rm(work, { recursive: true, force: true }));

  const places = () => ({ cwd: work, folders: [work] });
  const entryOf = (setting: object): ProcessEntry => {
    const parsed = ProcessAgentSetting.parse(setting);
    const brought = { name: 'mine', setting: parsed, file: path.join(work, '.vscode', 'settings.json') };
    const { command, args, env, dialect, mcpServers } = parsed;
    const known = { id: 'mine@work', title: 'mine (workspace)', missingFile: 'error', source: 'configured' } as const;
    return { ...known, command, args, env, dialect, mcpServers, workspaceDefinition: brought };
  };
  const setting = { command: 'node', args: ['agent.mjs', 'a b'], env: { PATH: './bin', LOG: '1' } };
  const hash = async (more: object = {}): Promise<string | undefined> =>
    (await consentSubjectOfAgent(entryOf({ ...setting, ...more }), places()))?.hash;

  it('is shown with everything that is written, and what of it changes what runs', async () => {
    const mcpServers = { tool: { type: 'http', url: 'http://evil.example/', headers: { Authorization: 'x' } } };
    const thing = await consentSubjectOfAgent(entryOf({ ...setting, mcpServers, dialect: 'draft' }), places());
    assert.deepEqual(
      thing?.facts.map(({ label, value, warning }) => `${label}: ${value}${warning ? ` (${warning})` : ''}`),
      [
        "Command: node agent.mjs 'a b'",
        `Folder: ${work}`,
        'Variable PATH: ./bin (decides which program runs)',
        'Variable LOG: 1',
        'MCP server tool, type: http',
        'MCP server tool, url: http://evil.example/ (not encrypted)',
        'MCP server tool, Header Authorization: ••••••',
        'dialect: draft',
        `Runs the file: ${path.join(work, 'agent.mjs')}`,
      ],
    );
    assert.deepEqual(thing.source.keys, ['backline.acp.agents', 'mine']);
  });

  it('names the variables in hidden headers, whatever text is around them', async () => {
    const headers = { 'X-Auth': 'a${AWS_SECRET_ACCESS_KEY}b', Cookie: 'Basic ${USER}${PASSWORD}', Token: '${open' };
    const mcpServers = { tool: { type: 'http', url: 'https://evil.example/', headers } };
    const thing = await consentSubjectOfAgent(entryOf({ ...setting, mcpServers }), places());
    assert.deepEqual(
      thing?.facts.flatMap(({ label, value }) => (label.includes('Header') ? [value] : [])),
      ['••••••${AWS_SECRET_ACCESS_KEY}••••••', 'Basic ${USER}${PASSWORD}', '••••••'],
    );
  });

  it('is another one when any word of its entry, or a file that it names, changes', async () => {
    const before = await hash();
    assert.equal(await hash(), before);
    const changes = [
      { command: 'nodejs' },
      { args: ['agent.mjs', 'a', 'b'] },
      { env: { PATH: './bin', LOG: '2' } },
      { cwd: '.' },
      { dialect: 'draft' },
      { mcpServers: { a: { command: 'a' } } },
    ];
    const hashes = new Set([before, ...(await Promise.all(changes.map(hash)))]);
    assert.equal(hashes.size, changes.length + 1);
    await writeFile(path.join(work, 'agent.mjs'), 'two');
    assert.notEqual(await hash(), before);
  });

  it('needs no permission when it is the user’s own, and runs nothing of the workspace', async () => {
    const { workspaceDefinition: brought, ...own } = entryOf({ ...setting, args: ['elsewhere.mjs'] });
    assert.ok(brought);
    const consent = answeringConsent('denied');
    await requireConsent(own, { consent, places });
    assert.equal(consent.asked.length, 0);
  });

  it('waits for no answer once it is the user’s own and runs nothing of the workspace any more', async () => {
    const { workspaceDefinition: brought, ...own } = entryOf(setting);
    assert.ok(brought);
    const consent = answeringConsent('denied');
    assert.equal(await consentDecisionFor(own, { consent, places }), 'ask');
    assert.equal(consent.seen.length, 1);
    assert.equal(
      await consentDecisionFor({ ...own, args: ['elsewhere.mjs'], env: {} }, { consent, places }),
      'allowed',
    );
    assert.equal(consent.seen.length, 0);
  });

  it('is looked at again after the question: what changed meanwhile is asked for anew', async () => {
    const consent = answeringConsent('allowed');
    const ask = consent.askIfUndecided.bind(consent);
    let times = 0;
    consent.askIfUndecided = async (thing, reason) => {
      if (times++ === 0) await writeFile(path.join(work, 'agent.mjs'), 'swapped while the user reads');
      return await ask(thing, reason);
    };
    await requireConsent(entryOf(setting), { consent, places });
    assert.equal(consent.asked.length, 2);
    assert.notEqual(consent.asked[0]?.hash, consent.asked[1]?.hash);
  });

  it('has servers of .vscode/mcp.json asked for by all that is written, with the files that they name', async () => {
    const file = path.join(work, '.vscode', 'mcp.json');
    const server = {
      command: 'node',
      args: ['./agent.mjs'],
      env: { NODE_OPTIONS: '--require ./x.js' },
      envFile: '.env',
    };
    const thing = await consentSubjectOfMcpServer('tool', server, { ...places(), file, member: 'servers' });
    assert.deepEqual(
      thing.facts.map(({ label, value }) => `${label}: ${value}`),
      [
        'Command: node ./agent.mjs',
        'Variable NODE_OPTIONS: --require ./x.js',
        'envFile: .env',
        `Runs the file: ${path.join(work, 'agent.mjs')}`,
      ],
    );
    await writeFile(path.join(work, 'x.js'), 'new');
    const later = await consentSubjectOfMcpServer('tool', server, { ...places(), file, member: 'servers' });
    assert.notEqual(later.hash, thing.hash);
    assert.match(later.facts.map(({ value }) => value).join(), /x\.js/);
  });

  it('has the servers of a file asked for together, without one that cannot be looked at', async () => {
    const file = path.join(work, '.vscode', 'mcp.json');
    const of = (name: string, more: object = {}) => ({
      ...{ name, file, folder: work, member: 'servers' },
      server: { command: 'node', args: ['./agent.mjs'], ...more },
    });
    const endless: Record<string, unknown> = {};
    endless['more'] = endless;
    const servers = [of('a'), of('b', { endless }), of('c'), of('d')];
    const asked: (readonly string[])[] = [];
    const warnings: string[] = [];
    const allowed = await allowedMcpServers(
      servers,
      [work],
      {
        askAllIfUndecided: (subjects) => {
          asked.push(subjects.map(({ name }) => name));
          return Promise.resolve(['allowed', 'denied', 'allowed'] as const);
        },
      },
      { warn: (message) => void warnings.push(message) },
    );
    assert.deepEqual(asked, [['a', 'c', 'd']]);
    assert.deepEqual(
      allowed.map(({ server, subject }) => [server.name, subject.name]),
      [
        ['a', 'a'],
        ['d', 'd'],
      ],
    );
    assert.match(warnings.join(), /^The MCP server "b" cannot be looked at: /);
  });

  it('is another server when a script that ${workspaceFolder} leads to changes, and is shown with its path', async () => {
    const file = path.join(work, '.vscode', 'mcp.json');
    const server = { command: 'node', args: ['${workspaceFolder}/agent.mjs'] };
    const before = await consentSubjectOfMcpServer('tool', server, { ...places(), file, member: 'servers' });
    assert.deepEqual(
      before.facts.map(({ label, value }) => `${label}: ${value}`),
      [`Command: node ${work}/agent.mjs`, `Runs the file: ${path.join(work, 'agent.mjs')}`],
    );
    await writeFile(path.join(work, 'agent.mjs'), 'two');
    assert.notEqual(
      (await consentSubjectOfMcpServer('tool', server, { ...places(), file, member: 'servers' })).hash,
      before.hash,
    );
  });

  it('is another agent when a script changes that one of its servers names, from each folder of the workspace', async () => {
    const mcpServers = { tool: { command: 'node', args: ['${workspaceFolder}/agent.mjs'] } };
    const entry = entryOf({ command: 'other', mcpServers });
    const in2 = { cwd: path.join(work, 'elsewhere'), folders: [work] };
    const before = await consentSubjectOfAgent(entry, in2);
    await writeFile(path.join(work, 'agent.mjs'), 'two');
    assert.notEqual((await consentSubjectOfAgent(entry, in2))?.hash, before?.hash);
  });

  it('is also one of the user’s settings that runs files of the workspace, under the user’s id', async () => {
    const own = (setting: object): ProcessEntry => {
      const { workspaceDefinition: brought, ...entry } = entryOf(setting);
      assert.ok(brought);
      return { ...entry, id: 'mine', title: 'mine' };
    };
    const ask = (setting: object) => consentSubjectOfAgent(own(setting), places());
    await writeFile(path.join(work, 'package.json'), '{}');
    await writeFile(path.join(work, 'acp.js'), '');
    const asked: object[] = [
      { command: './agent.mjs' },
      { command: 'node', args: ['agent.mjs'] },
      { command: 'node', args: ['agent'] },
      { command: 'other', env: { NODE_OPTIONS: '--require ./agent.mjs' } },
      { command: 'other', mcpServers: { tool: { command: 'node', args: ['${workspaceFolder}/agent.mjs'] } } },
    ];
    for (const setting of asked) assert.equal((await ask(setting))?.id, 'mine', JSON.stringify(setting));
    const others: object[] = [
      { command: 'other', args: ['acp'] },
      { command: 'npx', args: ['-y', '@team/agent'] },
      { command: '/usr/bin/other', args: ['--cwd', '.'] },
    ];
    for (const setting of others) assert.equal(await ask(setting), undefined, JSON.stringify(setting));
    const before = await ask({ command: './agent.mjs' });
    await writeFile(path.join(work, 'agent.mjs'), 'two');
    assert.notEqual((await ask({ command: './agent.mjs' }))?.hash, before?.hash);
  });
});
