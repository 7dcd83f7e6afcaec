import assert from 'node:assert/strict';
import { parseJson } from '../../../../src/base/common/parseJson';
import { clientConfigurations, type BridgeCommand } from '../../../../src/tools/common/clients/clientConfigurations';
import { mcpServerSetting } from '../../../../src/tools/common/clients/mcpServerSetting';

const script: BridgeCommand = { command: "/home/ann o'neil/tools/backline-mcp", args: [], env: {} };
const windows: BridgeCommand = {
  command: 'C:\\Program Files\\Code.exe',
  args: ['C:\\tools\\mcp-bridge.js', '--windows', 'C:\\My Tools'],
  env: { ELECTRON_RUN_AS_NODE: '1' },
};
const textOf = (title: string, bridge: BridgeCommand, platform: NodeJS.Platform): string =>
  clientConfigurations(bridge, platform).find((each) => each.title === title)?.text ?? assert.fail();

describe('configurations of MCP clients', () => {
  it('quote a command as shells of the system do', () => {
    const quoted = `'/home/ann o'\\''neil/tools/backline-mcp'`;
    assert.equal(textOf('Claude Code', script, 'linux'), `claude mcp add --scope user backline -- ${quoted}`);
    assert.equal(textOf('Codex', script, 'darwin'), `codex mcp add backline -- ${quoted}`);
    assert.equal(
      textOf('Claude Code', windows, 'win32'),
      'claude mcp add --scope user backline --env ELECTRON_RUN_AS_NODE=1 -- "C:\\Program Files\\Code.exe" C:\\tools\\mcp-bridge.js --windows "C:\\My Tools"',
    );
  });

  it('are JSON for clients with a settings file, and hold no token', () => {
    assert.deepEqual(parseJson(textOf('Gemini CLI', script, 'linux')), {
      mcpServers: { backline: { command: script.command } },
    });
    assert.deepEqual(parseJson(textOf('Amp CLI', windows, 'win32')), {
      'amp.mcpServers': { backline: { ...windows } },
    });
  });
});

describe('the MCP server entry of an agent', () => {
  const server = { url: 'http://127.0.0.1:5/mcp', headers: { Authorization: 'Bearer abc' } };
  const bridge = { runtime: '/bin/code', file: '/dist/mcp-bridge.js' };

  it('is the server itself where the agent takes HTTP', () => {
    assert.deepEqual(mcpServerSetting(server, { http: true }, bridge), { type: 'http', ...server });
  });

  it('is the bridge where it does not', () => {
    assert.deepEqual(mcpServerSetting(server, { http: false }, bridge), {
      command: '/bin/code',
      args: ['/dist/mcp-bridge.js'],
      env: {
        ELECTRON_RUN_AS_NODE: '1',
        BACKLINE_MCP_URL: 'http://127.0.0.1:5/mcp',
        BACKLINE_MCP_AUTHORIZATION: 'Bearer abc',
      },
    });
  });
});
