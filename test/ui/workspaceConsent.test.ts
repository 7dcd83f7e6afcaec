import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import * as path from 'node:path';
import { eventually } from '../support/eventually';
import { serveProvider, type ProviderServer } from '../unit/context/support/providerServer';
import { ChatView } from './support/chatView';
import { setSetting } from './support/contextHover';
import { writeUserSettings } from './support/userSettings';
import { VsCodeWindow } from './support/window';

/** An agent that writes down who it is and which MCP servers it gets. */
const agentSource = `
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
const [, , name, log] = process.argv;
const note = (text) => appendFileSync(log, name + ' ' + text + '\\n');
note('started');
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined || method === undefined) continue;
  if (method === 'session/new') {
    note('servers: ' + params.mcpServers.map((server) => server.name).join());
    const files = params.mcpServers.find((server) => server.name === 'files');
    if (files) note('files: ' + files.args.join(' ') + ' ' + files.env[0]?.value);
  }
  const result = {
    initialize: { protocolVersion: 1, agentCapabilities: {} },
    'session/new': { sessionId: 's' + id },
    'session/prompt': { stopReason: 'end_turn' },
  }[method] ?? {};
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
}
`;

/** A repository whose files want to run things, opened by somebody who trusts it. */
describe('What a workspace brings that runs', () => {
  let window: VsCodeWindow;
  let chat: ChatView;
  let endpoint: ProviderServer;
  let server: Server;
  const serverRequests: string[] = [];
  let agent: string;
  let log: string;
  let ran: string;

  before(async () => {
    endpoint = await serveProvider({ capabilities: () => ({}), items: () => [{ title: 'From afar' }] });
    server = createServer((request, response) => {
      serverRequests.push(request.url ?? '');
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end('{"status":"healthy","version":"9.8.7"}');
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    assert.ok(typeof address === 'object' && address);
    // Not an address of this machine by its name, but one that leads to it.
    const host = `http://0.0.0.0:${address.port}`;
    window = await VsCodeWindow.open({
      prepare: async (sandbox) => {
        const { home, workspace } = sandbox;
        [agent, log, ran] = ['agent.mjs', 'agents.log', 'ran.txt'].map((name) => path.join(home, name)) as [
          string,
          string,
          string,
        ];
        await writeFile(agent, agentSource);
        await writeFile(log, '');
        const own = { Mine: { command: 'node', args: [agent, 'own', log] } };
        await writeUserSettings(sandbox, { 'backline.acp.agents': own, 'backline.chat.backend': 'Mine' });
        await mkdir(path.join(workspace, '.vscode'), { recursive: true });
        await writeFile(path.join(workspace, 'evil.mjs'), moduleOf('Evil one'));
        const settings = {
          'backline.acp.agents': {
            Mine: { command: 'node', args: [agent, 'evil', log], env: { NODE_OPTIONS: '--no-warnings' } },
          },
          'amplifier.server.host': host,
          'backline.context.providers': { './evil.mjs': true, [endpoint.url]: true },
        };
        await writeFile(path.join(workspace, '.vscode', 'settings.json'), JSON.stringify(settings, undefined, 2));
        const servers = { tool: { command: 'node', args: ['${workspaceFolder}/evil.mjs'] } };
        await writeFile(path.join(workspace, '.vscode', 'mcp.json'), JSON.stringify({ servers }, undefined, 2));
      },
    });
    chat = new ChatView(window.page);
  });
  after(async () => {
    await window.close();
    endpoint.close();
    server.close();
  });

  const moduleOf = (title: string): string =>
    `import { appendFileSync } from 'node:fs';\nappendFileSync(${JSON.stringify(ran)}, '${title};');\n` +
    `export default { capabilities: () => ({}), items: () => [{ title: '${title}' }] };\n`;
  const read = (file: string): Promise<string> => readFile(file, 'utf8').catch(() => '');
  const lens = (title: string) => window.page.locator('.codelens-decoration').filter({ hasText: title });
  const dialog = () => window.page.locator('.monaco-dialog-box');
  const question = (expected: RegExp): Promise<void> =>
    eventually('the question', async () => assert.match(await dialog().innerText(), expected));

  /** The next question may come at once, so that no moment is without any. */
  async function answer(button: string): Promise<void> {
    const asked = await dialog().innerText();
    await dialog().getByRole('button', { name: button, exact: true }).click();
    await eventually('the end of the question', async () =>
      assert.ok(!(await dialog().allInnerTexts()).includes(asked), asked),
    );
  }

  /** Resolves when the status list has the words, and closes it. */
  async function statusSays(words: string): Promise<void> {
    await window.showStatus(words);
    await window.page.keyboard.press('Escape');
  }

  async function chooseAgent(title: string): Promise<void> {
    await window.pickFrom('Backline: Choose Agent', title);
  }

  /** In a conversation of its own. */
  async function send(text: string, agentTitle = 'Mine'): Promise<void> {
    await chat.begin(window, agentTitle);
    await chat.send(text);
  }

  it('is hinted at once, and nothing of it runs or is sent a text before', async () => {
    // First, because VS Code hides it after a while.
    await window.messages.filter({ hasText: 'This workspace wants to run or use' }).waitFor();
    await window.screenshot('consent-hint');
    assert.equal(await window.messages.count(), 1);
    await statusSays('Waiting for your permission: ');
    await statusSays('needs your permission because this workspace defines it');
    await window.openFile('hello.ts');
    assert.deepEqual([await read(ran), await read(log), endpoint.requests.length, serverRequests], ['', '', 0, []]);
    assert.equal(await dialog().count(), 0, 'no question comes by itself');
  });

  it('is a module that stays off when it is denied, also after the window was loaded again', async () => {
    await window.chooseInStatus('Allow evil');
    await question(
      /Allow the context provider "evil"[^]*Module: .*evil\.mjs[^]*\.vscode\/settings\.json[^]*asked again if the entry or a file named above changes/,
    );
    await window.screenshot('consent-module');
    await answer('Don’t Allow');
    await statusSays('Denied: evil');
    await window.reload();
    await statusSays('Denied: evil');
    assert.equal(await read(ran), '');
  });

  it('is a module that runs once it is allowed, and is requested again when its content changes', async () => {
    await window.chooseInStatus('Allow evil');
    await question(/Allow the context provider "evil"/);
    await answer('Allow');
    await lens('Evil one').waitFor();
    assert.match(await read(ran), /^(Evil one;)+$/);
    await writeFile(path.join(window.sandbox.workspace, 'evil.mjs'), moduleOf('Evil two'));
    await statusSays('Waiting for your permission: evil');
    assert.doesNotMatch(await read(ran), /two/);
    await window.chooseInStatus('Allow evil');
    await question(/It has changed since your last answer/);
    await answer('Allow');
    await lens('Evil two').waitFor();
  });

  it('is an address that gets no text before it is allowed', async () => {
    assert.equal(endpoint.requests.length, 0);
    await window.chooseInStatus('Allow 127.0.0.1');
    await question(
      /Allow sending text to[^]*Sends text to: http:\/\/127\.0\.0\.1:\d+\/[^]*text of files that you open/,
    );
    await window.screenshot('consent-address');
    await answer('Allow');
    await lens('From afar').waitFor();
    assert.ok(endpoint.requests.some(({ method }) => method === 'items'));
  });

  it('is a server that is not asked for its health before it is allowed, and the question names the address', async () => {
    await window.pickFrom('Backline: Review What This Workspace Runs', 'Amplifier');
    await question(/Allow connecting to the server "Amplifier"[^]*http:\/\/0\.0\.0\.0:\d+/);
    await window.screenshot('consent-server');
    assert.equal(serverRequests.length, 0);
    await answer('Allow');
    await statusSays('Version 9.8.7 is running at');
    assert.ok(serverRequests.includes('/health'));
  });

  it('is an agent beside the user’s own, which is asked for when it is chosen', async () => {
    await window.runCommand('Backline: Choose Agent');
    await window.picks.filter({ hasText: 'Mine (workspace)' }).filter({ hasText: 'needs your permission' }).waitFor();
    await window.screenshot('consent-agents');
    await window.pick('Mine (workspace)');
    await question(
      /Allow the agent "Mine"[^]*Command: node .*agent\.mjs evil[^]*⚠ Variable NODE_OPTIONS: --no-warnings/,
    );
    await window.screenshot('consent-agent');
    await answer('Don’t Allow');
    assert.equal(await read(log), '');
  });

  it('are MCP servers that do not come along before they are allowed; the session begins without them', async () => {
    await window.runCommand('Backline: Choose Agent');
    // Not by what a row lacks: VS Code draws rows into those of before, whose hidden details stay.
    const own = window.page.getByText('Mine', { exact: true });
    await window.picks.filter({ has: own }).first().click();
    await send('hello');
    await question(/Allow agents to use the MCP server "tool"[^]*Command: node .*evil\.mjs/);
    await window.screenshot('consent-mcp');
    assert.doesNotMatch(await read(log), /servers/);
    await answer('Cancel');
    await eventually('the session', async () => assert.match(await read(log), /^own servers: (?!.*tool)/m));
    await window.pickFrom('Backline: Review What This Workspace Runs', 'MCP server "tool"');
    await answer('Allow');
    await send('again');
    await eventually('the server', async () => assert.match(await read(log), /^own servers: .*tool/m));
    assert.doesNotMatch(await read(log), /evil/);
  });

  it('are several MCP servers of a file in one question, which shows all that each runs', async () => {
    const servers = {
      tool: { command: 'node', args: ['${workspaceFolder}/evil.mjs'] },
      docs: { command: 'npx', args: ['-y', 'docs-server'], env: { NODE_OPTIONS: '--no-warnings' } },
      files: { command: 'node', args: ['server.mjs', '${input:mode}'], env: { TOKEN: '${input:token}' } },
    };
    const inputs = [
      { type: 'promptString', id: 'token', description: 'Token of the file server', password: true },
      { type: 'pickString', id: 'mode', description: 'What to offer', options: ['--some', '--all'] },
    ];
    const file = path.join(window.sandbox.workspace, '.vscode', 'mcp.json');
    await writeFile(file, JSON.stringify({ inputs, servers }, undefined, 2));
    await send('with more servers');
    await question(
      /Allow agents to use the 2 MCP servers[^]*"docs"[^]*Command: npx -y docs-server[^]*⚠ Variable NODE_OPTIONS: --no-warnings[^]*"files"[^]*Command: node server\.mjs [^]*input:mode[^]*Variable TOKEN: [^]*input:token/,
    );
    await window.screenshot('consent-mcp-servers');
    await answer('Review Each');
    await question(/MCP server "docs"/);
    await answer('Don’t Allow');
    await question(/MCP server "files"/);
    await answer('Allow');
    const input = window.page.locator('.quick-input-widget');
    await input.filter({ hasText: 'MCP Server Input: mode' }).waitFor();
    await window.screenshot('mcp-input-pick');
    await window.pick('--all');
    const box = input.filter({ hasText: 'MCP Server Input: token' }).locator('input[type=password]');
    await box.fill('a secret token');
    await window.screenshot('mcp-input-text');
    await box.press('Enter');
    await eventually('the inputs', async () =>
      assert.match(await read(log), /^own files: server\.mjs --all a secret token$/m),
    );
    await eventually('the servers', async () => assert.match(await read(log), /^own servers: .*tool,files/m));
    assert.doesNotMatch(await read(log), /docs/);
  });

  it('is an agent that starts once it is allowed, and not when its entry has changed since', async () => {
    await chooseAgent('Mine (workspace)');
    await answer('Allow');
    await send('hello', 'Mine (workspace)');
    await eventually('the agent', async () => assert.match(await read(log), /^evil started/m));
    await setSetting(window, 'backline.acp.agents', { Mine: { command: 'node', args: [agent, 'worse', log] } });
    await eventually('the changed agent', async () => {
      await window.runCommand('Backline: Choose Agent');
      const row = window.picks.filter({ hasText: 'Mine (workspace)' }).filter({ hasText: 'needs your permission' });
      await row.waitFor({ timeout: 5_000 });
    });
    await window.page.keyboard.press('Escape');
    assert.doesNotMatch(await read(log), /worse/);
  });
});
