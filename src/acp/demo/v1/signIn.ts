import { access, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AuthMethod } from '@agentclientprotocol/sdk';

/** A sign-in that asks for nothing, so that a client's way through `authenticate` can be tried. */
export class SignIn {
  private signedIn = false;

  /** `folder` keeps the sign-in for other processes; without it, it ends with this one. */
  constructor(
    private readonly isRequired: boolean,
    private readonly folder: string | undefined,
  ) {}

  /** What the user may choose from. A terminal method needs a place that outlives the terminal's process. */
  methods(takesTerminal: boolean): AuthMethod[] {
    if (!this.isRequired) return [];
    const description = 'Asks for nothing and succeeds';
    const methods: AuthMethod[] = [{ id: 'demo-sign-in', name: 'Demo sign-in', description }];
    if (takesTerminal && this.folder !== undefined) {
      methods.push({ type: 'terminal', id: 'demo-terminal', name: 'Demo sign-in in a terminal', args: ['--sign-in'] });
    }
    return methods;
  }

  async isDone(): Promise<boolean> {
    if (!this.isRequired || this.signedIn) return true;
    if (this.folder === undefined) return false;
    return await access(this.mark(this.folder)).then(
      () => true,
      () => false,
    );
  }

  async signIn(): Promise<void> {
    this.signedIn = true;
    if (this.folder === undefined) return;
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    await writeFile(this.mark(this.folder), '', { mode: 0o600 });
  }

  async signOut(): Promise<void> {
    this.signedIn = false;
    if (this.folder !== undefined) await rm(this.mark(this.folder), { force: true });
  }

  private mark(folder: string): string {
    return join(folder, 'signed-in');
  }
}
