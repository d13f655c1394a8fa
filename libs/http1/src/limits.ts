/** What a reader holds at most. At a limit it refuses; it never grows. */
export interface Limits {
  /** Bytes of a head, from the first byte of its first line to the end of the empty line. */
  readonly headBytesMax: number;
  /** Field lines in a head. */
  readonly fieldCountMax: number;
  /** Bytes of extensions behind one chunk size. They are dropped. */
  readonly chunkExtensionBytesMax: number;
  /** Bytes of a trailer section. */
  readonly trailerBytesMax: number;
  /** Field lines in a trailer section. */
  readonly trailerCountMax: number;
  /** 1xx answers before one final answer. */
  readonly interimCountMax: number;
  /** Unread bytes at which `push` asks the caller to stop reading its socket. */
  readonly bufferedBytesSoft: number;
  /** Unread bytes at which a reader refuses: the caller did not stop. */
  readonly bufferedBytesMax: number;
  /** The same two for unread pieces, each of which costs memory besides its bytes: TLS hands out a record of one byte as one. */
  readonly bufferedPiecesSoft: number;
  readonly bufferedPiecesMax: number;
}

export const DEFAULT_LIMITS: Limits = {
  headBytesMax: 32_768,
  // A hundred fields of the application's own, and room for Host and those of the connection beside them.
  fieldCountMax: 128,
  chunkExtensionBytesMax: 1_024,
  trailerBytesMax: 8_192,
  trailerCountMax: 64,
  interimCountMax: 32,
  bufferedBytesSoft: 131_072,
  bufferedBytesMax: 1_048_576,
  bufferedPiecesSoft: 512,
  bufferedPiecesMax: 8_192,
};
