// One open watch. Events are lines of JSON, sent at the speed of the reader. The cursor of the core has no buffer. A
// stream is closed if too many changes are unread, or if the reader is behind the kept history. The client then resumes
// from the last version that it received.
import type { ServerResponse } from 'node:http';
import type { ApiCore } from '../core/api-core.ts';
import { StatusError } from '../core/status.ts';
import type { ResourceWatch } from '../core/watch.ts';
import { commonHeaders } from './reply.ts';
import { showBookmark, showEvent, type View } from './represent.ts';

export interface WatchReply {
  readonly type: 'watch';
  /** Throws Expired if the version is too old. The error is sent inside the stream. */
  readonly open: () => ResourceWatch;
  /** Evaluated for each event, because ages in tables are relative to the time of the event. */
  readonly view: () => View;
  readonly bookmarks: boolean;
  readonly warnings: readonly string[];
}

/** The number of events that are sent before the event loop continues. */
const batchSize = 200;

/**
 * Sends events until the reader, the core or `over` ends the stream. Sends a bookmark shortly before the end. Never
 * throws.
 */
export function streamWatch(
  core: ApiCore,
  response: ServerResponse,
  reply: WatchReply,
  { over, nearlyOver }: { readonly over: AbortSignal; readonly nearlyOver: Promise<void> },
): void {
  response.writeHead(200, {
    ...commonHeaders,
    'Content-Type': 'application/json',
    ...(reply.warnings.length === 0 ? {} : { Warning: [...reply.warnings] }),
  });
  response.flushHeaders();
  const cursor = openCursor(reply);
  if ('code' in cursor) {
    response.end(`${JSON.stringify({ type: 'ERROR', object: cursor })}\n`);
    return;
  }
  const stream = new WatchStream({ core, response, reply, cursor });
  stream.start(over);
  void nearlyOver.then(() => stream.sendProgress());
}

function openCursor({ open }: WatchReply) {
  try {
    return open();
  } catch (error) {
    if (error instanceof StatusError) {
      return error.status;
    }
    throw error;
  }
}

class WatchStream {
  readonly #core: ApiCore;
  readonly #response: ServerResponse;
  readonly #reply: WatchReply;
  readonly #cursor: ResourceWatch;
  #first = true;
  #bookmarkRound: number;
  #scheduled = false;
  #blocked = false;
  #ended = false;
  #unsubscribe = (): void => {};

  constructor(parts: {
    readonly core: ApiCore;
    readonly response: ServerResponse;
    readonly reply: WatchReply;
    readonly cursor: ResourceWatch;
  }) {
    this.#core = parts.core;
    this.#response = parts.response;
    this.#reply = parts.reply;
    this.#cursor = parts.cursor;
    this.#bookmarkRound = parts.core.bookmarkRound();
  }

  start(over: AbortSignal): void {
    const wake = (): void => this.#schedule();
    const stop = this.#core.onUpdate(() => this.#onUpdate());
    const finish = (): void => this.#end();
    over.addEventListener('abort', finish, { once: true });
    this.#unsubscribe = () => {
      this.#ended = true;
      stop();
      over.removeEventListener('abort', finish);
    };
    this.#response.on('drain', () => {
      this.#blocked = false;
      wake();
    });
    this.#response.once('close', this.#unsubscribe);
    if (over.aborted) {
      this.#end();
    } else {
      this.#pump();
    }
  }

  /** Sends a bookmark when no event is pending. */
  sendProgress(): void {
    this.#bookmarkRound = -1;
    this.#schedule();
  }

  #onUpdate(): void {
    if (this.#blocked && this.#cursor.isLate()) {
      this.#end();
    } else {
      this.#schedule();
    }
  }

  /** The listener is called for every write. One turn of the event loop combines the calls. */
  #schedule(): void {
    if (!this.#scheduled && !this.#blocked && !this.#ended) {
      this.#scheduled = true;
      setImmediate(() => {
        this.#scheduled = false;
        this.#pump();
      });
    }
  }

  #pump(): void {
    for (let sent = 0; !this.#ended && !this.#blocked; sent += 1) {
      if (sent === batchSize) {
        this.#schedule();
        return;
      }
      const step = this.#cursor.next();
      if (step === 'ended') {
        this.#end();
        return;
      }
      if (step === 'idle') {
        this.#sendBookmark();
        return;
      }
      this.#send(step.type, showEvent(step.object, this.#reply.view(), this.#first));
      this.#first = false;
    }
  }

  #sendBookmark(): void {
    const round = this.#core.bookmarkRound();
    if (this.#reply.bookmarks && this.#bookmarkRound < round) {
      this.#bookmarkRound = round;
      this.#send('BOOKMARK', showBookmark(this.#cursor.version(), this.#reply.view()));
    }
  }

  #send(type: string, object: unknown): void {
    this.#blocked = !this.#response.write(`${JSON.stringify({ type, object })}\n`);
  }

  #end(): void {
    if (!this.#ended) {
      this.#unsubscribe();
      this.#response.end();
    }
  }
}
