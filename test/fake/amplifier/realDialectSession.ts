import type * as http from 'node:http';

/** What the agent does with a prompt. A throw fails the turn, as an exception does there. */
export type TurnScript = (turn: RealTurn, prompt: string) => Promise<void>;

/** One session there: a queue of events that whoever reads next gets. */
export class RealSession {
  status: 'idle' | 'processing' | 'awaiting_approval' | 'error' | 'stopped' = 'idle';
  /** What was decided, as the server took it. */
  readonly decisions: string[] = [];
  /** What ran, in order: a tool runs unless its decision is exactly "Deny". */
  readonly ran: string[] = [];
  /** What the model was given, prompt by prompt: the context of the request that made the session is not in it. */
  readonly seenByModel: { readonly prompt: string; readonly context: unknown }[] = [];
  pendingApproval: Record<string, unknown> | null = null;
  lastActivity: string | null = naiveNow();

  private readonly queue: string[] = [];
  private readonly subscribers: { readonly response: http.ServerResponse; isDead: boolean }[] = [];
  private turnOfSubscriber = 0;
  private resolveApproval: ((decision: string) => void) | undefined;
  private readonly timers = new Set<NodeJS.Timeout>();
  private readonly createdAt = naiveNow();
  private messages = 0;
  private usage = { input_tokens: 0, output_tokens: 0 };

  constructor(
    readonly id: string,
    private readonly profile: string,
    private readonly pingMs: number,
  ) {}

  get subscriberCount(): number {
    return this.subscribers.filter(({ isDead }) => !isDead).length;
  }

  toStatus() {
    return {
      session_id: this.id,
      status: this.status,
      profile: this.profile,
      created_at: this.createdAt,
      last_activity: this.lastActivity,
      message_count: this.messages,
      token_usage: this.usage.input_tokens > 0 ? this.usage : null,
      pending_approval: this.pendingApproval,
    };
  }

  emit(event: string, data: Record<string, unknown>): void {
    this.queue.push(JSON.stringify({ event, data: { session_id: this.id, ...data } }));
    this.deliver();
  }

  subscribe(response: http.ServerResponse): void {
    response.writeHead(200, {
      'Content-Type': 'text/event-stream; charset=utf-8',
      'Cache-Control': 'no-store',
      'X-Accel-Buffering': 'no',
    });
    const subscriber = { response, isDead: false };
    response.on('close', () => {
      subscriber.isDead = true;
    });
    const data = { session_id: this.id, profile: this.profile, timestamp: naiveNow() };
    response.write(frame('message', JSON.stringify({ event: 'session:start', data })));
    this.subscribers.push(subscriber);
    const ping = setInterval(() => {
      if (subscriber.isDead) clearInterval(ping);
      else response.write(`${frame('ping', 'keepalive')}: ping - ${naiveNow()}\r\n\r\n`);
    }, this.pingMs);
    this.timers.add(ping);
    this.deliver();
  }

  /** Cuts the streams; the next event is lost with the connection that was to get it. */
  dropStreams(): void {
    for (const subscriber of this.subscribers) {
      subscriber.isDead = true;
      subscriber.response.socket?.destroy();
    }
  }

  /** Writes bytes as they are to whoever reads. */
  writeRaw(bytes: string | Uint8Array): void {
    for (const { response, isDead } of this.subscribers) if (!isDead) response.write(bytes);
  }

  async run(script: TurnScript, prompt: string, contextUpdate: unknown): Promise<void> {
    this.seenByModel.push({ prompt, context: contextUpdate });
    this.status = 'processing';
    this.messages++;
    this.lastActivity = naiveNow();
    this.emit('prompt:submit', { prompt, context_update: contextUpdate });
    try {
      await script(new RealTurn(this), prompt);
      if (this.isGone()) return;
      this.status = 'idle';
    } catch (error) {
      if (this.isGone()) return;
      this.status = 'error';
      this.emit('error', { error: error instanceof Error ? error.message : String(error) });
    }
  }

  complete(response: string): void {
    this.usage = { input_tokens: this.usage.input_tokens + 100, output_tokens: this.usage.output_tokens + 20 };
    this.emit('prompt:complete', { response, token_usage: this.usage });
  }

  /** Two at once share one id; the second takes the place of the first. */
  requestApproval(timeoutSeconds: number, options: readonly string[]): Promise<string> {
    const request = { approval_id: 'appr-140234', prompt: 'Allow running: command', options };
    this.pendingApproval = { ...request, context: {} };
    this.status = 'awaiting_approval';
    this.lastActivity = naiveNow();
    this.emit('approval:required', { ...request, timeout: timeoutSeconds, default: 'deny', context: {} });
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.emit('approval:denied', { approval_id: request.approval_id, decision: 'deny', reason: 'timeout' });
        this.pendingApproval = null;
        this.resolveApproval = undefined;
        resolve('deny');
      }, timeoutSeconds * 1000);
      this.timers.add(timer);
      this.resolveApproval = (decision) => {
        clearTimeout(timer);
        this.emit('approval:granted', { approval_id: request.approval_id, decision });
        resolve(decision);
      };
    });
  }

  decide(decision: string): void {
    this.decisions.push(decision);
    const resolve = this.resolveApproval;
    this.resolveApproval = undefined;
    this.pendingApproval = null;
    this.status = 'processing';
    resolve?.(decision === 'AlwaysAllow' ? 'Allow' : decision);
  }

  /** A running turn goes on, and the stream stays open. */
  end(): void {
    this.status = 'stopped';
    this.emit('session:end', { reason: 'user_stopped', token_usage: this.usage });
  }

  forget(): void {
    for (const timer of this.timers) clearTimeout(timer);
    this.subscribers.length = 0;
  }

  private isGone(): boolean {
    return this.status === 'stopped';
  }

  private deliver(): void {
    while (this.queue.length > 0 && this.subscribers.length > 0) {
      const index = this.turnOfSubscriber++ % this.subscribers.length;
      const subscriber = this.subscribers[index];
      const data = this.queue.shift();
      if (!subscriber || data === undefined) return;
      if (subscriber.isDead) this.subscribers.splice(index, 1);
      else subscriber.response.write(frame('message', data));
    }
  }
}

/** What a script can do, in the shapes of the server that exists. */
export class RealTurn {
  constructor(readonly session: RealSession) {}

  delta(text: string): void {
    this.session.emit('content_block:delta', { block_index: 0, delta: text });
  }

  thinking(text: string): void {
    this.session.emit('thinking:delta', { delta: text });
  }

  toolPre(name: string): void {
    this.session.emit('tool:pre', { tool_name: name, operation: name, input: {} });
  }

  toolPost(name: string, output: unknown): void {
    const result = { success: true, output, error: null };
    this.session.emit('tool:post', { tool_name: name, operation: name, result, duration_ms: null });
  }

  /** A gated tool: asks, and runs unless the answer is exactly "Deny". */
  async gatedTool(
    name: string,
    {
      timeoutSeconds = 300,
      options = ['AlwaysAllow', 'Allow', 'Deny'],
    }: { timeoutSeconds?: number; options?: string[] } = {},
  ): Promise<void> {
    this.toolPre(name);
    const decision = await this.session.requestApproval(timeoutSeconds, options);
    if (decision === 'Deny') return;
    this.session.ran.push(name);
    this.toolPost(name, { stdout: 'done', stderr: '', returncode: 0 });
  }

  /** The orchestrator tells the text again with every run of white space as one space. */
  complete(response: string): void {
    this.session.complete(response.replace(/\s+/gu, ' '));
  }
}

function frame(event: string, data: string): string {
  return `event: ${event}\r\ndata: ${data}\r\n\r\n`;
}

/** Local time with microseconds and without a zone, so many seconds ago. */
export function naiveNow(secondsAgo = 0): string {
  const now = new Date(Date.now() - secondsAgo * 1000);
  const local = new Date(now.getTime() - now.getTimezoneOffset() * 60_000).toISOString();
  return `${local.slice(0, -1)}123`;
}
