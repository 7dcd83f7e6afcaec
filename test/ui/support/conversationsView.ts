import type { Frame, Locator, Page } from 'playwright-core';
import { eventually } from '../../support/eventually';
import type { VsCodeWindow } from './window';

/** The list of all conversations, in the view or in its tab. */
export class ConversationsView {
  constructor(private readonly page: Page) {}

  /** The page itself. VS Code throws it away when it is hidden, so ask again after that. */
  async frame(): Promise<Frame> {
    return eventually('the page of all conversations', async () => {
      for (const frame of this.page.frames().filter((one) => one !== this.page.mainFrame())) {
        if (
          await frame
            .locator('.conversations-main[aria-busy=false]')
            .isVisible()
            .catch(() => false)
        )
          return frame;
      }
      throw new Error('no frame has the list of all conversations');
    });
  }

  async show(window: VsCodeWindow): Promise<void> {
    await eventually('the view of all conversations', async () => {
      await window.runCommand('Backline: Show Conversations View');
      await (await this.frame()).getByRole('tree').waitFor({ timeout: 10_000 });
    });
  }

  /** A row by its name, which begins with its state. */
  async row(name: RegExp): Promise<Locator> {
    return (await this.frame()).getByRole('treeitem', { name }).first();
  }

  /** Waits for a row, also while VS Code loads the page again. */
  async hasRow(name: RegExp): Promise<void> {
    await eventually(`the row ${String(name)}`, async () => (await this.row(name)).waitFor({ timeout: 5_000 }));
  }

  async lacksRow(name: RegExp): Promise<void> {
    await eventually(`no row ${String(name)}`, async () =>
      (await this.row(name)).waitFor({ state: 'detached', timeout: 5_000 }),
    );
  }

  /** Chooses an item of the menu of a row. Opens the menu again until it has the item, as the row may hear late that its turn has ended. */
  async choose(name: RegExp, label: string): Promise<void> {
    await eventually(`${label} of ${String(name)}`, async () => {
      const frame = await this.frame();
      if (await frame.getByRole('menu').first().isVisible()) await this.page.keyboard.press('Escape');
      await (await this.row(name)).click({ button: 'right', timeout: 5_000 });
      const item = frame.getByRole('menuitem', { name: new RegExp(`^${label}`) }).first();
      await item.click({ timeout: 5_000 });
    });
  }

  /** Answers in a row. Clicks until it is taken: a button that has just appeared takes no clicks for half a second by its own clock. */
  async answer(name: RegExp, option: string): Promise<void> {
    const button = (await this.row(name)).getByRole('button', { name: option });
    await button.waitFor();
    await eventually(`the answer ${option}`, async () => {
      if (await button.isVisible()) await button.click({ timeout: 5_000 });
      await button.waitFor({ state: 'hidden', timeout: 700 });
    });
  }
}
