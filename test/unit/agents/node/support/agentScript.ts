/** A program that answers `initialize` as an agent of version 1 of the protocol does. */
export const agentScript = `
let text = '';
process.stdin.on('data', (chunk) => {
  text += chunk;
  for (;;) {
    const end = text.indexOf('\\n');
    if (end < 0) return;
    const { id, method } = JSON.parse(text.slice(0, end));
    text = text.slice(end + 1);
    if (method !== 'initialize') continue;
    const result = { protocolVersion: 1, agentInfo: { name: 'fake', version: '1' }, agentCapabilities: {}, authMethods: [] };
    process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
  }
});
`;

/** The same as a program that starts by itself, on systems that know about first lines. */
export const agentProgram = `#!${process.execPath}\n${agentScript}`;
