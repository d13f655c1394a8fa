const ENTITY: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** For text and for quoted attributes alike. */
export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => ENTITY[character] as string);
