export const HOST = 'team--bench--web.apps.test';
