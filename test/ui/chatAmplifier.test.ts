import { inRoot } from '../../scripts/lib/paths.mjs';
import { AmplifierProgram } from '../fake/amplifier/amplifierProgram';
import { RealDialectServer } from '../fake/amplifier/realDialectServer';
import { ChatView } from './support/chatView';
import { sharedWindow } from './support/sharedWindow';
import { writeUserSettings } from './support/userSettings';
import type { VsCodeWindow } from './support/window';

describe('The chat with an Amplifier server', () => {
  async function openChat(port: string): Promise<{ window: VsCodeWindow; chat: ChatView }> {
    const settings = { 'amplifier.server.port': Number(port), 'backline.chat.backend': 'amplifier' };
    const window = await sharedWindow((sandbox) => writeUserSettings(sandbox, settings));
    const chat = new ChatView(window.page);
    await chat.begin(window, 'Amplifier');
    return { window, chat };
  }

  it('drives the embedded one, and keeps the partial answer when it is killed and started again', async () => {
    const program = new AmplifierProgram({
      file: inRoot('dist', 'amplifier-server.js'),
      cwd: inRoot('examples', 'workspace'),
    });
    await program.start();
    const { window, chat } = await openChat(program.url.port);
    try {
      await chat.send('what can you do?');
      await chat.says(/rename/i);
      await (await chat.button('Send')).waitFor();
      await chat.send('/slow 2000');
      await chat.shows('This answer comes one word at a time');
      await program.stop();
      // It ends its turns before it goes.
      await chat.shows('Stopped.');
      await window.screenshot('chat-server-gone');
      await program.start();
      await (await chat.button('Send')).waitFor();
      await chat.send('what can you do?');
      await chat.shows('/slow 2000');
      await window.screenshot('chat-server-back');
    } finally {
      await program.stop();
    }
  });

  it('drives the real dialect, and keeps the partial answer when it is killed and started again', async () => {
    let isHanging = true;
    const server = new RealDialectServer({
      script: async (turn) => {
        turn.delta('the first half');
        if (isHanging) await new Promise(() => undefined);
      },
    });
    await server.start();
    const { window, chat } = await openChat(server.url.port);
    try {
      await chat.send('begin');
      await chat.shows('the first half');
      await server.stop();
      await chat.shows(`The connection to ${server.url.origin} was lost. Reconnecting…`);
      isHanging = false;
      await server.start();
      await (await chat.button('Send')).waitFor();
      await chat.shows('the first half');
      await window.screenshot('chat-real-dialect');
    } finally {
      await server.stop();
    }
  });
});
