import { access, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AuthMethod } from '@agentclientprotocol/sdk';

/** A sign-in without credentials, to test a client's authentication flow. */
export class DemoSignIn {
  private isSignedIn = false;

  /** Other processes with the same `folder` share the sign-in. */
  constructor(
    private readonly isRequired: boolean,
    private readonly folder: string | undefined,
  ) {}

  /** Returns the sign-in methods. The terminal method requires a folder, because it runs in another process. */
  methods(supportsTerminal: boolean): AuthMethod[] {
    if (!this.isRequired) return [];
    const description = 'Signs in without a password';
    const methods: AuthMethod[] = [{ id: 'demo-sign-in', name: 'Demo sign-in', description }];
    if (supportsTerminal && this.folder !== undefined) {
      methods.push({ type: 'terminal', id: 'demo-terminal', name: 'Demo sign-in (terminal)', args: ['--sign-in'] });
    }
    return methods;
  }

  async hasSignedInIfRequired(): Promise<boolean> {
    if (!this.isRequired || this.isSignedIn) return true;
    if (this.folder === undefined) return false;
    return await access(this.markerFile(this.folder)).then(
      () => true,
      () => false,
    );
  }

  async signIn(): Promise<void> {
    this.isSignedIn = true;
    if (this.folder === undefined) return;
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    await writeFile(this.markerFile(this.folder), '', { mode: 0o600 });
  }

  async signOut(): Promise<void> {
    this.isSignedIn = false;
    if (this.folder !== undefined) await rm(this.markerFile(this.folder), { force: true });
  }

  private markerFile(folder: string): string {
    return join(folder, 'signed-in');
  }
}
