import assert from 'node:assert/strict';
import { nullLogger } from '../../../../../src/base/common/log';
import {
  collectMcpServers,
  type WorkspaceServerId,
  type WorkspaceServer,
} from '../../../../../src/acp/node/catalogue/workspaceMcp';
import { FakeEditor } from '../../../../fake/fakeEditor';

const json = (servers: Record<string, unknown>) => `// ours\n${JSON.stringify({ servers }).replace(/\}$/, ',}')}`;

describe('the MCP servers of a workspace', () => {
  let warnings: string[];
  let skipped: string[];
  const asked: WorkspaceServer[] = [];
  let named: readonly WorkspaceServerId[];
  let permit: (server: WorkspaceServer) => boolean;
  /** The inputs that were asked for, and what is entered. */
  const entered: string[] = [];
  let values: Readonly<Record<string, string>>;
  /** The names of the servers that were asked about together. */
  const questions: string[] = [];
  beforeEach(() => {
    asked.length = 0;
    questions.length = 0;
    entered.length = 0;
    values = {};
    permit = () => true;
  });
  const serversOf = async (
    editor: FakeEditor,
    setting: Record<string, unknown> = {},
    { own = {}, http = false, env = {}, readsRootFile = false } = {},
  ) => {
    warnings = [];
    skipped = [];
    const allowedOf = (servers: readonly WorkspaceServer[]) => {
      asked.push(...servers);
      questions.push(servers.map(({ name }) => name).join());
      return Promise.resolve(servers.filter(permit));
    };
    const log = { ...nullLogger, warn: (message: string) => void warnings.push(message) };
    const findProgram = (command: string) => Promise.resolve({ file: 'node', args: [`/bin/${command}.js`] });
    const capabilities = { http, sse: false };
    return await collectMcpServers(
      {
        setting,
        cwd: '/one',
        windowServers: own,
        capabilities,
        findProgram,
        env,
        readsRootFile,
        allowedOf,
        valueOfInput: ({ id }, file) => {
          entered.push(`${file} ${id}`);
          return Promise.resolve(values[id]);
        },
        onSkipped: (notes) => skipped.push(...notes),
        onServersFound: (all) => (named = all),
      },
      editor,
      log,
    );
  };

  it('come from each folder, after those of the agent’s setting', async () => {
    const editor = new FakeEditor(
      {
        '/one/.vscode/mcp.json': json({ a: { command: 'a1' }, b: { command: 'b1', args: ['${workspaceFolder}'] } }),
        '/two/.vscode/mcp.json': json({ b: { command: 'b2' }, c: { command: 'c2', args: ['${workspaceFolder}'] } }),
      },
      ['/one', '/two'],
    );
    assert.deepEqual(await serversOf(editor, { a: { command: 'mine' } }), [
      { name: 'a', command: 'node', args: ['/bin/mine.js'], env: [] },
      { name: 'b', command: 'node', args: ['/bin/b1.js', '/one'], env: [] },
      { name: 'c', command: 'node', args: ['/bin/c2.js', '/two'], env: [] },
    ]);
    assert.deepEqual(warnings, []);
  });

  it('come from .mcp.json, too, each once, and not for agents that read it themselves', async () => {
    const root = JSON.stringify({ mcpServers: { a: { command: 'root' }, b: { url: 'https://b.example' } } });
    const editor = new FakeEditor({ '/one/.vscode/mcp.json': json({ a: { command: 'a1' } }), '/one/.mcp.json': root }, [
      '/one',
    ]);
    const own = { name: 'a', command: 'node', args: ['/bin/a1.js'], env: [] };
    assert.deepEqual(await serversOf(editor, {}, { http: true }), [
      own,
      { type: 'http', name: 'b', url: 'https://b.example', headers: [] },
    ]);
    assert.deepEqual(
      asked.map(({ name, file, member }) => [name, file, member]),
      [
        ['a', '/one/.vscode/mcp.json', 'servers'],
        ['b', '/one/.mcp.json', 'mcpServers'],
      ],
    );
    assert.deepEqual(await serversOf(editor, {}, { http: true, readsRootFile: true }), [own]);
    assert.deepEqual(
      named.map(({ name }) => name),
      ['a', 'a', 'b'],
    );
  });

  it('get variables of the environment where no program is named', async () => {
    const servers = {
      a: { command: 'a', env: { KEY: '${env:TOKEN}', DIR: '${workspaceFolder}/x' } },
      b: { url: 'https://${HOST:-b.example}/', headers: { Authorization: 'Bearer ${TOKEN}' } },
      c: { command: '${env:TOKEN}' },
      d: { command: 'd', env: { KEY: '--require=${env:TOKEN}' } },
      e: { command: 'e', env: { KEY: '${env:MISSING}' } },
    };
    const editor = new FakeEditor({ '/one/.mcp.json': JSON.stringify({ servers }) }, ['/one']);
    const used = await serversOf(editor, {}, { http: true, env: { TOKEN: 'secret ${workspaceFolder}' } });
    assert.deepEqual(used, [
      {
        ...{ name: 'a', command: 'node', args: ['/bin/a.js'] },
        env: [
          { name: 'KEY', value: 'secret ${workspaceFolder}' },
          { name: 'DIR', value: '/one/x' },
        ],
      },
      {
        ...{ type: 'http', name: 'b', url: 'https://b.example/' },
        headers: [{ name: 'Authorization', value: 'Bearer secret ${workspaceFolder}' }],
      },
    ]);
    assert.match(
      skipped.join('\n'),
      /"c" was skipped.*not supported.*\n.*"d".*not supported.*\n.*"e".*MISSING is not set/,
    );
  });

  it('get what the user enters, after they were allowed and nowhere as the program', async () => {
    const inputs = [
      { type: 'promptString', id: 'key', password: true },
      { type: 'pickString', id: 'host', options: ['a.example'] },
      { type: 'command', id: 'run', command: 'x' },
    ];
    const servers = {
      a: { command: 'a', args: ['--key=${input:key}', '${workspaceFolder}'], env: { KEY: 'x${input:key}' } },
      b: { url: 'https://${input:host}/', headers: { Authorization: 'Bearer ${input:key}' } },
      c: { command: '${input:key}' },
      d: { command: 'd', args: ['${input:missing}'] },
      e: { command: 'e', args: ['${input:run}'] },
      denied: { command: 'denied', args: ['${input:key}'] },
      closed: { command: 'closed', args: ['${input:closed}'] },
    };
    inputs.push({ type: 'promptString', id: 'closed', password: false });
    const file = '/one/.vscode/mcp.json';
    const editor = new FakeEditor({ [file]: JSON.stringify({ inputs, servers }) }, ['/one']);
    permit = ({ name }) => {
      assert.deepEqual(entered, [], 'nothing is asked for before the server is allowed');
      return name !== 'denied';
    };
    values = { key: '${workspaceFolder}', host: 'a.example' };
    const used = await serversOf(editor, {}, { http: true });
    assert.deepEqual(used, [
      {
        ...{ name: 'a', command: 'node', args: ['/bin/a.js', '--key=${workspaceFolder}', '/one'] },
        env: [{ name: 'KEY', value: 'x${workspaceFolder}' }],
      },
      {
        ...{ type: 'http', name: 'b', url: 'https://a.example/' },
        headers: [{ name: 'Authorization', value: 'Bearer ${workspaceFolder}' }],
      },
    ]);
    assert.deepEqual(questions, ['a,b,denied,closed'], 'in one question');
    assert.deepEqual(
      entered,
      ['key', 'host', 'key', 'closed'].map((id) => `${file} ${id}`),
    );
    assert.match(
      skipped.join('\n'),
      /"c" .*not supported.*\n.*"d" .*no input "missing".*\n.*"e" .*runs a command.*\n.*"closed" .*was not entered/,
    );
  });

  it('are left out, which the user is told, if they would not run as written', async () => {
    const servers = {
      a: { command: 'a', envFile: '.env' },
      b: { command: 'b', cwd: '/elsewhere' },
      c: { command: 'c', cwd: '${workspaceFolder}' },
      d: { command: 'd', env: { KEY: '${input:key}' } },
    };
    const editor = new FakeEditor({ '/one/.vscode/mcp.json': json(servers) }, ['/one']);
    assert.deepEqual(
      (await serversOf(editor)).map(({ name }) => name),
      ['c'],
    );
    assert.match(skipped.join('\n'), /"a".*envFile.*mcp\.json\)\n.*"b".*cwd.*\n.*"d".*no input "key"/);
  });

  it('include those of the window itself, behind the others', async () => {
    const headers = { Authorization: 'Bearer token' };
    const own = { backline: { type: 'http', url: 'http://127.0.0.1:4711/mcp', headers } };
    const editor = new FakeEditor({}, ['/one']);
    assert.deepEqual(await serversOf(editor, {}, { own, http: true }), [
      {
        type: 'http',
        name: 'backline',
        url: 'http://127.0.0.1:4711/mcp',
        headers: [{ name: 'Authorization', value: 'Bearer token' }],
      },
    ]);
    const bridge = {
      backline: { command: 'code', args: ['bridge.js'], env: { BACKLINE_MCP_URL: 'http://127.0.0.1:1' } },
    };
    assert.deepEqual(await serversOf(editor, {}, { own: bridge, http: false }), [
      {
        name: 'backline',
        command: 'node',
        args: ['/bin/code.js', 'bridge.js'],
        env: [{ name: 'BACKLINE_MCP_URL', value: 'http://127.0.0.1:1' }],
      },
    ]);
    assert.deepEqual(warnings, []);
  });

  it('are none of a file whose servers are no object, and that is told', async () => {
    assert.deepEqual(await serversOf(new FakeEditor({ '/one/.vscode/mcp.json': '{ "servers": [] }' }, ['/one'])), []);
    assert.deepEqual(warnings, ['/one/.vscode/mcp.json has no "servers" object and is ignored.']);
  });

  it('are none where there is no file, and a broken one is told', async () => {
    const editor = new FakeEditor({ '/two/.vscode/mcp.json': '{ "servers": ' }, ['/one', '/two']);
    assert.deepEqual(await serversOf(editor), []);
    assert.match(warnings.join(), /\/two\/\.vscode\/mcp\.json are not used/);
  });

  it('are asked for each, as they are written, and only where they would be used', async () => {
    const editor = new FakeEditor(
      {
        '/one/.vscode/mcp.json': json({
          own: { command: 'hidden' },
          a: { command: 'a', args: ['${workspaceFolder}'], other: '.env' },
          far: { type: 'http', url: 'https://example.com/' },
        }),
        '/two/.vscode/mcp.json': json({ a: { command: 'second' }, b: { command: 'b' } }),
      },
      ['/one', '/two'],
    );
    permit = ({ name }) => name === 'b';
    const servers = await serversOf(editor, { own: { command: 'mine' } });
    assert.deepEqual(
      servers.map(({ name }) => name),
      ['own', 'b'],
    );
    assert.deepEqual(asked[0], {
      name: 'a',
      server: { command: 'a', args: ['${workspaceFolder}'], other: '.env' },
      folder: '/one',
      file: '/one/.vscode/mcp.json',
      member: 'servers',
    });
    assert.deepEqual(
      asked.map(({ name, folder }) => `${folder} ${name}`),
      ['/one a', '/two a', '/two b'],
    );
    assert.deepEqual(questions, ['a', 'a,b'], 'one question for each file');
  });

  it('are told whole each time they are read, also those that are not used', async () => {
    const editor = new FakeEditor(
      {
        '/one/.vscode/mcp.json': json({ mine: { command: 'a' }, broken: {} }),
        '/two/.vscode/mcp.json': json({ b: { command: 'b' } }),
      },
      ['/one', '/two'],
    );
    permit = () => named.length > 0;
    const servers = await serversOf(editor, { mine: { command: 'mine' } });
    assert.deepEqual(
      servers.map(({ name }) => name),
      ['mine', 'b'],
    );
    assert.deepEqual(
      named.map(({ file, name }) => `${file} ${name}`),
      ['/one/.vscode/mcp.json mine', '/one/.vscode/mcp.json broken', '/two/.vscode/mcp.json b'],
    );
    await serversOf(new FakeEditor({}, ['/one', '/two']));
    assert.deepEqual(named, []);
  });
});
