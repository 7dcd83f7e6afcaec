import type * as vscode from 'vscode';
import type { Logger } from '../../base/common/log';

/** Writes to an output channel. Each line starts with `[area]`. The caller owns the channel. */
export class ChannelLogger implements Logger {
  constructor(
    private readonly channel: vscode.LogOutputChannel,
    private readonly area = 'backline',
  ) {}

  trace(message: string): void {
    this.channel.trace(this.formatLine(message));
  }

  debug(message: string): void {
    this.channel.debug(this.formatLine(message));
  }

  info(message: string): void {
    this.channel.info(this.formatLine(message));
  }

  warn(message: string): void {
    this.channel.warn(this.formatLine(message));
  }

  error(message: string, error?: unknown): void {
    if (error === undefined) this.channel.error(this.formatLine(message));
    else this.channel.error(this.formatLine(message), error);
  }

  child(area: string): Logger {
    return new ChannelLogger(this.channel, area);
  }

  private formatLine(message: string): string {
    return `[${this.area}] ${message}`;
  }
}
