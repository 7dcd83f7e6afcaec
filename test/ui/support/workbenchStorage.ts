import type { Page } from 'playwright-core';

/** The values that a VS Code in a browser has stored under the key: for the user, and for each workspace. */
export async function workbenchStorageValues(page: Page, key: string): Promise<readonly string[]> {
  // Text, because these tests are checked without the types of browsers.
  return await page.evaluate<string[]>(`(async () => {
    const answerTo = (request) =>
      new Promise((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error);
      });
    const values = [];
    for (const { name } of await indexedDB.databases()) {
      if (!name.startsWith('vscode-web-state-db')) continue;
      const database = await answerTo(indexedDB.open(name));
      const value = await answerTo(database.transaction('ItemTable').objectStore('ItemTable').get(${JSON.stringify(key)}));
      if (value !== undefined) values.push(value);
      database.close();
    }
    return values;
  })()`);
}
