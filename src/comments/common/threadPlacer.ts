import type { CommentThread } from './commentThread';
import { createPlacer, type CommentPlace } from './placeComment';

/** Places threads in texts of one file: many threads whose homes have the same text compare it only once with each. */
export class ThreadPlacer {
  private readonly placers = new Map<string, Map<string, ReturnType<typeof createPlacer>>>();

  /** `homeText` returns the text of a home by its hash, undefined if it is lost. */
  constructor(private readonly homeText: (hash: string) => Promise<string | undefined>) {}

  async place({ home }: Pick<CommentThread, 'home'>, text: string): Promise<CommentPlace> {
    const homeText = await this.homeText(home.hash);
    if (homeText === undefined) return { kind: 'gone' };
    const ofText = this.placers.get(text) ?? new Map<string, ReturnType<typeof createPlacer>>();
    this.placers.set(text, ofText);
    let placer = ofText.get(home.hash);
    if (!placer) {
      placer = createPlacer({ text: homeText, isPart: home.isPart ?? false }, text);
      ofText.set(home.hash, placer);
    }
    return placer(home);
  }
}
