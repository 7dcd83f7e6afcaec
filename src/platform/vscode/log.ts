import type * as vscode from 'vscode';
import type { Logger } from '../../base/common/log';

/** Writes to an output channel with an `[area]` prefix. The caller owns the channel. */
export class ChannelLogger implements Logger {
  constructor(
    private readonly channel: vscode.LogOutputChannel,
    private readonly area = 'backline',
  ) {}

  trace(message: string): void {
    this.channel.trace(this.line(message));
  }

  debug(message: string): void {
    this.channel.debug(this.line(message));
  }

  info(message: string): void {
    this.channel.info(this.line(message));
  }

  warn(message: string): void {
    this.channel.warn(this.line(message));
  }

  error(message: string, error?: unknown): void {
    if (error === undefined) this.channel.error(this.line(message));
    else this.channel.error(this.line(message), error);
  }

  child(area: string): Logger {
    return new ChannelLogger(this.channel, area);
  }

  private line(message: string): string {
    return `[${this.area}] ${message}`;
  }
}
