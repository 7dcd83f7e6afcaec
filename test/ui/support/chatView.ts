import assert from 'node:assert/strict';
import type { Frame, Locator, Page } from 'playwright-core';
import { eventually } from '../../support/eventually';
import type { VsCodeWindow } from './window';

/** The agent that is there without settings. */
export const demoAgent = 'Demo agent (no model)';

/** The chat as a user sees it: the page of the view, or of the tab in front, somewhere in the frames of VS Code. */
export class ChatView {
  constructor(private readonly page: Page) {}

  /**
   * The page itself, once it has heard from the host: what is written before that may go to another conversation. VS Code
   * throws it away when it is hidden, so ask again after that.
   */
  async frame(): Promise<Frame> {
    return eventually('the page of the chat', async () => {
      // Not the window itself, which has too many elements to ask each of them for its name.
      for (const frame of this.page.frames().filter((one) => one !== this.page.mainFrame())) {
        const prompt = frame.getByRole('textbox', { name: 'Prompt' });
        if (!(await prompt.isVisible().catch(() => false))) continue;
        if ((await frame.locator('.transcript-pane[aria-busy=true]').count()) === 0) return frame;
      }
      throw new Error('no frame has a prompt and something above it');
    });
  }

  /**
   * Begins a conversation with the chosen agent, and waits for its empty page. Repeats the command if that does not come: when
   * the chat takes the focus, as after the choice of an agent, the palette closes and the command may be lost.
   */
  async begin(window: VsCodeWindow, agent: string): Promise<void> {
    await eventually(`a conversation with ${agent}`, async () => {
      await window.runCommand('Backline: New Conversation');
      const frame = await this.frame();
      await frame.locator('.empty').first().waitFor({ timeout: 10_000 });
      await frame.getByRole('button', { name: `Agent: ${agent}`, exact: true }).waitFor({ timeout: 10_000 });
    });
  }

  async prompt(): Promise<Locator> {
    return (await this.frame()).getByRole('textbox', { name: 'Prompt' });
  }

  async type(text: string): Promise<void> {
    // Again if VS Code loads the page again meanwhile.
    await eventually('the prompt', async () => {
      const prompt = await this.prompt();
      // Not by a click: a notification may lie over it, and stays as long as the pointer is on it.
      await prompt.focus({ timeout: 15_000 });
      await prompt.fill(text, { timeout: 15_000 });
    });
  }

  /** Not by a key of the window: that would go to whatever has taken the focus meanwhile. */
  async send(text: string): Promise<void> {
    await eventually('the prompt that is sent', async () => {
      await this.type(text);
      const prompt = await this.prompt();
      // If VS Code has loaded the page again, the text is gone.
      assert.equal(await prompt.inputValue({ timeout: 5_000 }), text);
      await prompt.press('Enter', { timeout: 5_000 });
      // Sending empties it, of a text that begins with `/` within two seconds. If VS Code has loaded the page again before the
      // key, the text is still there as a draft.
      await (await this.frame()).locator('textarea:placeholder-shown').first().waitFor({ timeout: 5_000 });
    });
  }

  /** Resolves when the text is on the page, also if VS Code loads the page again meanwhile. */
  async shows(text: string | RegExp): Promise<void> {
    await eventually(`${String(text)} in the chat`, async () => {
      // The same words may also stand in an entry that is far from the screen.
      const shown = (await this.frame()).getByText(text).filter({ visible: true });
      await shown.first().waitFor({ timeout: 5_000 });
    });
  }

  /** Resolves when it is in an answer: what the greeting offers is on the page before anything was said. */
  async says(text: string | RegExp): Promise<void> {
    await (await this.frame()).locator('.entry-answer').getByText(text).first().waitFor();
  }

  /** Resolves when the button is on the page, also if VS Code loads the page again meanwhile. */
  async hasButton(name: string): Promise<void> {
    await eventually(`the button ${name}`, async () => {
      await (await this.button(name)).waitFor({ timeout: 5_000 });
    });
  }

  /** What Backline says by itself while the user is in the chat. */
  async noticesInChat(words: string | RegExp): Promise<Locator> {
    return (await this.frame()).locator('.problem').filter({ hasText: words });
  }

  /** What Backline says by itself: in the chat while the user is there, else as a notification of VS Code. */
  async notice(words: string | RegExp): Promise<Locator> {
    return await eventually(`the notice ${String(words)}`, async () => {
      for (const shown of [
        await this.noticesInChat(words),
        this.page.locator('.notification-toast').filter({ hasText: words }),
      ])
        if (await shown.first().isVisible()) return shown;
      throw new Error('it is not there');
    });
  }

  async button(name: string | RegExp): Promise<Locator> {
    return (await this.frame()).getByRole('button', { name }).first();
  }

  /** Clicks until it is taken: a button that has just appeared takes no clicks for half a second by its own clock. */
  async answer(option: string): Promise<void> {
    const button = (await this.frame()).getByRole('button', { name: option, exact: true }).first();
    await button.waitFor();
    await eventually(`the answer ${option}`, async () => {
      if (await button.isVisible()) await button.click({ timeout: 5_000 });
      await button.waitFor({ state: 'hidden', timeout: 700 });
    });
  }

  /** Shows the list of conversations. The command hides a list that is shown, so it is run only if none is. */
  async showConversations(window: VsCodeWindow): Promise<void> {
    await eventually('the list of conversations', async () => {
      const list = (await this.frame()).locator('.sessions');
      if (await list.isVisible()) return;
      await window.runCommand('Backline: Show Conversations in Chat');
      await list.waitFor({ timeout: 10_000 });
    });
  }

  /** The name of the group in which the list has the conversation. Shows the list, also again if it was closed meanwhile. */
  async groupOf(window: VsCodeWindow, title: string): Promise<string> {
    await this.showConversations(window);
    const rows = (await this.frame()).locator('.sessions-rows ul', { hasText: title }).first();
    return await rows.locator('xpath=preceding-sibling::h2[1]').innerText({ timeout: 5_000 });
  }

  /** Clicks on the conversation in the list, which that closes. */
  async openFromList(window: VsCodeWindow, title: string): Promise<void> {
    await eventually(`${title} in the list`, async () => {
      await this.showConversations(window);
      const row = (await this.frame()).locator('.session-open', { hasText: title }).first();
      await row.click({ timeout: 10_000 });
    });
  }
}
