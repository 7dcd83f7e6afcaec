import type { Frame, Locator, Page } from 'playwright-core';
import { eventually } from '../../support/eventually';

/** The chat as a user sees it: the page of the view, or of the tab in front, somewhere in the frames of VS Code. */
export class ChatView {
  constructor(private readonly page: Page) {}

  /** The page itself. VS Code throws it away when it is hidden, so ask again after that. */
  async frame(): Promise<Frame> {
    return eventually('the page of the chat', async () => {
      for (const frame of this.page.frames()) {
        const prompt = frame.getByRole('textbox', { name: 'Prompt' });
        if (await prompt.isVisible().catch(() => false)) return frame;
      }
      throw new Error('no frame has a prompt');
    });
  }

  async type(text: string): Promise<void> {
    const prompt = (await this.frame()).getByRole('textbox', { name: 'Prompt' });
    await prompt.click();
    await prompt.fill(text);
  }

  async send(text: string): Promise<void> {
    await this.type(text);
    await this.page.keyboard.press('Enter');
  }

  /** Resolves when the text is on the page. */
  async shows(text: string | RegExp): Promise<void> {
    await (await this.frame()).getByText(text).first().waitFor();
  }

  async button(name: string | RegExp): Promise<Locator> {
    return (await this.frame()).getByRole('button', { name }).first();
  }

  /** A button that has just appeared takes no clicks for half a second. */
  async answer(option: string): Promise<void> {
    const button = (await this.frame()).getByRole('button', { name: option, exact: true }).first();
    await button.waitFor();
    await this.page.waitForTimeout(700);
    await button.click();
  }
}
