import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { eventually } from '../support/eventually';
import { serveProvider, type ProviderServer } from '../unit/context/support/providerServer';
import { makeCertificate, startTlsServer, type TlsServer } from '../unit/context/support/tlsServer';
import { setSetting } from './support/contextHover';
import { VsCodeWindow } from './support/window';

const secret = 'correct-horse-battery';
const moduleOf = (title: string): string =>
  `export default { capabilities: () => ({}), items: () => [{ title: ${JSON.stringify(title)} }] };\n`;

/** What the settings of a workspace want is not the user's word. */
describe('Context providers that need the word of the user', () => {
  let window: VsCodeWindow;
  let endpoint: ProviderServer;
  let web: TlsServer;
  let code = moduleOf('First version');
  let downloads = 0;
  let authority: string;

  before(async () => {
    endpoint = await serveProvider({ capabilities: () => ({}), items: () => [{ title: 'From afar' }] });
    const certificate = await makeCertificate();
    web = await startTlsServer(certificate, ({ url }, response) => {
      downloads++;
      if (url === '/latest.js') response.writeHead(302, { location: '/1.2.3/found.mjs' }).end();
      else response.end(code);
    });
    authority = await mkdtemp(path.join(tmpdir(), 'backline-ca-'));
    const file = path.join(authority, 'ca.pem');
    await writeFile(file, certificate.cert);
    window = await VsCodeWindow.open({
      env: { NODE_EXTRA_CA_CERTS: file },
      // Else VS Code reads the authorities of the system by itself, and only those.
      settings: { 'http.systemCertificates': false },
      prepare: async ({ workspace }) => {
        await mkdir(path.join(workspace, '.vscode'), { recursive: true });
        const settings = { 'backline.context.providers': { [plainUrl()]: true } };
        await writeFile(path.join(workspace, '.vscode', 'settings.json'), JSON.stringify(settings));
      },
    });
    await window.openFile('hello.ts');
  });
  after(async () => {
    await window.close();
    endpoint.close();
    web.close();
    await rm(authority, { recursive: true, force: true });
  });
  beforeEach(() => {
    endpoint.requests.length = 0;
  });

  /** It leads to this machine too, but does not say so. */
  const plainUrl = (): string => endpoint.url.replace('127.0.0.1', '0.0.0.0');
  const configure = (providers: object): Promise<void> => setSetting(window, 'backline.context.providers', providers);
  /** What the endpoint was asked at an address; at the other one it may still be asked by what was allowed before. */
  const methods = (address: string): string[] =>
    endpoint.requests.filter(({ headers }) => headers.host === new URL(address).host).map(({ method }) => method);
  const lens = (title: string) => window.page.locator('.codelens-decoration').filter({ hasText: title });
  const dialog = () => window.page.locator('.monaco-dialog-box');

  /** The question of the dialog, once it is all there. */
  const question = (expected: RegExp): Promise<string> =>
    eventually('the question', async () => {
      const text = await dialog().innerText();
      assert.match(text, expected);
      return text;
    });

  /** Opens the question behind the action of the status, which may still be about the one before. */
  async function ask(action: string, expected: RegExp): Promise<string> {
    return await eventually(`the question ${expected.source}`, async () => {
      // A question that came late lies over the status.
      if (!(await dialog().isVisible())) await window.chooseInStatus(action);
      await dialog().waitFor({ timeout: 20_000 });
      const text = await dialog().innerText();
      if (!expected.test(text)) await answer('Cancel');
      assert.match(text, expected);
      return text;
    });
  }

  async function answer(button: string): Promise<void> {
    await dialog().getByRole('button', { name: button, exact: true }).click();
    await dialog().waitFor({ state: 'hidden' });
  }

  it('send no file over plain http before it is given', async () => {
    await ask('Allow 0.0.0.0', /Allow sending text[^]*⚠ Sends text to: http:\/\/0\.0\.0\.0:\d+\/ \(not encrypted\)/);
    await answer('Allow');
    await ask(
      'Allow 0.0.0.0',
      /Send files to http:\/\/0\.0\.0\.0:\d+\/ without encryption\?[^]*text of files that you open/,
    );
    await window.screenshot('context-consent-http');
    await answer('Cancel');
    assert.deepEqual(methods(plainUrl()), []);
    await ask('Allow 0.0.0.0', /without encryption/);
    await answer('Allow');
    await lens('From afar').waitFor();
    assert.ok(methods(plainUrl()).includes('items'));
  });

  it('get no secret that the workspace asks for before it is given', async () => {
    await configure({ [endpoint.url]: { headers: { Authorization: 'Bearer ${secret:token}' } } });
    await lens('From afar').waitFor({ state: 'hidden' });
    await window.pickFrom('Backline: Set Context Provider Secret', 'token', 'not stored yet');
    const input = window.page.locator('.quick-input-widget input[type=password]');
    await input.fill(secret);
    await window.screenshot('context-secret');
    assert.ok(!(await window.page.locator('body').innerText()).includes(secret));
    await input.press('Enter');
    await input.waitFor({ state: 'hidden' });
    await ask('Allow 127.0.0.1', /Give the secret "token" to 127\.0\.0\.1:\d+, at http/);
    await window.screenshot('context-consent-secret');
    await answer('Allow');
    await ask('Allow 127.0.0.1', /Allow sending text[^]*Setting headers: .*\$\{secret:token\}/);
    assert.deepEqual(methods(endpoint.url), []);
    await answer('Allow');
    await lens('From afar').waitFor();
    assert.equal(endpoint.requests.at(-1)?.headers.authorization, `Bearer ${secret}`);
  });

  it('leave no secret in a file', async () => {
    assert.deepEqual(await filesWith(window.sandbox.folder, secret), []);
  });

  it('run code from elsewhere only when it is given, and again for another version', async () => {
    const configureCode = (): Promise<void> =>
      configure({
        [`${web.origin}/owners.js`]: { integrity: `sha384-${createHash('sha384').update(code).digest('base64')}` },
      });
    await configureCode();
    await ask('Allow owners', /Allow downloading code for the context provider "owners"[^]*Setting integrity: sha384-/);
    await answer('Allow');
    const words = /Run code from https:\/\/127\.0\.0\.1:\d+\/owners\.js[^]*runs with your rights[^]*sha384-/;
    const first = await ask('Allow owners', words);
    assert.equal(downloads, 0, 'nothing is downloaded before');
    await window.screenshot('context-consent-code');
    await answer('Allow');
    await lens('First version').waitFor();
    code = moduleOf('Second version');
    await configureCode();
    await ask('Allow owners', /It has changed since your last answer/);
    await answer('Allow');
    assert.notEqual(await ask('Allow owners', words), first);
    assert.equal(await lens('Second version').count(), 0);
    await answer('Allow');
    await lens('Second version').waitFor();
  });

  it('run code whose hash no settings pin once it was shown, and continue with it when there is another version', async () => {
    const hash = (): string => `sha384-${createHash('sha384').update(code).digest('base64')}`;
    code = moduleOf('Third version');
    await configure({ [`${web.origin}/latest.js`]: true });
    const third = hash();
    downloads = 0;
    await ask('Allow latest', /Downloads code from: https:[^]*latest\.js/);
    await window.screenshot('context-consent-download');
    assert.equal(downloads, 0, 'the request needs permission too');
    await answer('Allow');
    const shown = await ask(
      'Allow latest',
      /Run code from https:[^]*latest\.js[^]*redirects to:[^]*\/1\.2\.3\/found\.mjs/,
    );
    assert.ok(shown.includes(third), shown);
    await window.screenshot('context-consent-found');
    assert.equal(await lens('Third version').count(), 0);
    code = moduleOf('Fourth version');
    await answer('Allow');
    await lens('Third version').waitFor();
    await window.chooseInStatus('Allow New Version of latest');
    const both = await question(/Hash of the allowed version/);
    assert.ok(both.includes(third) && both.includes(hash()), both);
    await window.screenshot('context-consent-changed');
    await answer('Allow');
    await lens('Fourth version').waitFor();
  });

  it('can be told no later', async () => {
    const allowed = (text: string) => window.picks.filter({ hasText: text });
    const showPermissions = (): Promise<void> =>
      window.searchIn('Backline: Manage Context Provider Permissions', '', 'Give the secret "token"');
    await showPermissions();
    await eventually('both versions', async () => assert.equal(await allowed('owners.js').count(), 2));
    await window.screenshot('context-allowed');
    await window.pick('Send files to http://0.0.0.0');
    await eventually('its end', async () => {
      // A list that is still shown may be the one before.
      await window.page.keyboard.press('Escape');
      await showPermissions();
      assert.equal(await allowed('Send files to').count(), 0);
    });
    await window.page.keyboard.press('Escape');
  });
});

/** Files below a folder that hold a text, as it is or in base64. */
async function filesWith(folder: string, text: string): Promise<string[]> {
  const forms = [text, Buffer.from(text).toString('base64').replace(/=+$/, '')];
  // A folder that goes meanwhile ends a listing.
  const entries = await eventually('all files', () => readdir(folder, { recursive: true, withFileTypes: true }));
  const files = entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
  const found: string[] = [];
  for (const file of files) {
    const bytes = await readFile(file).catch(() => Buffer.alloc(0));
    if (forms.some((form) => bytes.includes(form))) found.push(file);
  }
  return found;
}
