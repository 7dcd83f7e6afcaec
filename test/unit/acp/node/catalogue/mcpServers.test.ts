import assert from 'node:assert/strict';
import { toMcpServers, type McpServerOptions } from '../../../../../src/acp/node/catalogue/mcpServers';

const options: McpServerOptions = {
  capabilities: { http: true, sse: false },
  findProgram: (command) =>
    command === 'gone'
      ? Promise.reject(new Error("the command 'gone' was not found."))
      : Promise.resolve({ file: `/bin/${command}`, args: [] }),
};
const of = (written: Record<string, unknown>) => toMcpServers(written, '/ws', options);

describe('the MCP servers given to an agent', () => {
  it('are processes, and addresses with their headers', async () => {
    const { servers, notes } = await of({
      files: { command: 'mine', args: ['a'], env: { LEVEL: 2 } },
      docs: { type: 'http', url: 'https://example.com/mcp', headers: { Authorization: 'Bearer x' } },
    });
    assert.deepEqual(notes, []);
    assert.deepEqual(servers, [
      { name: 'files', command: '/bin/mine', args: ['a'], env: [{ name: 'LEVEL', value: '2' }] },
      {
        type: 'http',
        name: 'docs',
        url: 'https://example.com/mcp',
        headers: [{ name: 'Authorization', value: 'Bearer x' }],
      },
    ]);
  });

  it('know the workspace folder', async () => {
    const { servers } = await of({ a: { type: 'stdio', command: 'run', args: ['${workspaceFolder}/x'] } });
    assert.deepEqual(servers, [{ name: 'a', command: '/bin/run', args: ['/ws/x'], env: [] }]);
  });

  it('are left out one by one, each with its reason', async () => {
    const { servers, notes } = await of({
      good: { command: 'run' },
      secret: { command: 'run', env: { KEY: '${input:key}' } },
      stream: { type: 'sse', url: 'https://example.com' },
      nothing: {},
      lost: { command: 'gone' },
      local: { type: 'http', url: 'file:///etc' },
    });
    assert.deepEqual(
      servers.map(({ name }) => name),
      ['good'],
    );
    assert.deepEqual(notes, [
      'The MCP server "secret" was skipped: the variable ${input:key} is not supported. Replace it with its value.',
      'The MCP server "stream" was skipped: the agent does not support servers of type sse.',
      'The MCP server "nothing" was skipped: add a "command", or a "url" with the "type" http or sse.',
      'The MCP server "lost" was skipped: the command \'gone\' was not found.',
      'The MCP server "local" was skipped: add a "command", or a "url" with the "type" http or sse.',
    ]);
  });
});
