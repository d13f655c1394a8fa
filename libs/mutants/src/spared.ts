/** Guards that change nothing that anybody could see when they are taken out, each with the reason. */
export const spared: Readonly<Record<string, string>> = {};
