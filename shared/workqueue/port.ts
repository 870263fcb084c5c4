// The port to the queues. Adapters: sqs/ (AWS SDK), memory/ (virtual time). One conformance suite: test/ports/queues.

/**
 * The short name of a queue: `work-<reconciler>.fifo`, `delay` or `expand`. The name of a FIFO queue ends in `.fifo`.
 */
export type QueueName = string;

export interface OutgoingMessage {
  readonly body: string;
  /** The delay in whole seconds, 0 to 900. Supported by standard queues only. */
  readonly delaySeconds?: number;
  /** The ids for FIFO queues, which require both. At most 128 characters, alphanumeric or punctuation. */
  readonly groupId?: string;
  readonly deduplicationId?: string;
}

/** The result of one message: accepted, or the error. */
export type SendOutcome = { readonly ok: true } | { readonly ok: false; readonly error: Error };

export interface ReceivedMessage {
  readonly messageId: string;
  readonly receiptHandle: string;
  readonly body: string;
  readonly attributes: {
    readonly receiveCount: number;
    readonly groupId?: string;
    readonly sentAtMs: number;
    readonly firstReceivedAtMs?: number;
    readonly deduplicationId?: string;
    readonly sequenceNumber?: string;
  };
}

export interface QueueDepth {
  readonly visible: number;
  readonly inFlight: number;
  readonly delayed: number;
}

export interface QueueSender {
  /**
   * Sends any number of messages, in batches within the limits of SQS. Returns one outcome per message, in order. Never
   * throws for a refused message. A message with an invalid id, delay or size is not sent (SendValidationError).
   */
  send(queue: QueueName, messages: readonly OutgoingMessage[]): Promise<readonly SendOutcome[]>;
}

export interface QueueReceiver {
  /**
   * Receives up to `max` messages (1 to 10) and hides them for the queue's visibility timeout. Waits up to `waitSeconds`
   * (0 to 20) for the first one. An aborted receive returns no message.
   */
  receive(
    queue: QueueName,
    options: { readonly max: number; readonly waitSeconds: number; readonly signal?: AbortSignal },
  ): Promise<readonly ReceivedMessage[]>;
  /** Acknowledges messages. An expired handle is not an error: its message is delivered again. */
  delete(queue: QueueName, receiptHandles: readonly string[]): Promise<void>;
  depth(queue: QueueName): Promise<QueueDepth>;
}

export interface QueueVisibility {
  /** Hides the messages for this number of whole seconds from now (0 to 43200). Invalid handles are ignored. */
  changeVisibility(queue: QueueName, receiptHandles: readonly string[], seconds: number): Promise<void>;
}

export interface Queues extends QueueSender, QueueReceiver, QueueVisibility {}
