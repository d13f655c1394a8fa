/** An upload with progress: what the browser has sent, and what the process has counted. */
export const upload = `
const MADE_BYTES = 32 * 1000 * 1000;
let sending;

function showSent(loaded, startedAt) {
  const seconds = Math.max(0.001, (performance.now() - startedAt) / 1000);
  setText('upload-sent', amount(loaded));
  setText('upload-rate', amount(loaded / seconds) + '/s');
}

function finish(tone, text) {
  sending = undefined;
  find('upload-stop').disabled = true;
  find('upload-made').disabled = false;
  find('upload-file').disabled = false;
  setState('upload-state', tone, text);
}

function send(body, name) {
  const request = new XMLHttpRequest();
  const startedAt = performance.now();
  sending = request;
  find('upload-stop').disabled = false;
  find('upload-made').disabled = true;
  find('upload-file').disabled = true;
  find('upload-progress').value = 0;
  setText('upload-counted', '–');
  setState('upload-state', 'open', 'sending');
  request.upload.onprogress = ({ loaded, total }) => {
    find('upload-progress').value = total > 0 ? loaded / total : 1;
    showSent(loaded, startedAt);
    pulse('in');
  };
  request.onload = () => {
    if (request.status !== 200) {
      finish('shut', 'refused with ' + request.status);
      knock();
      return;
    }
    const { bytes } = JSON.parse(request.responseText);
    find('upload-progress').value = 1;
    showSent(body.size, startedAt);
    setText('upload-counted', amount(bytes));
    finish(bytes === body.size ? 'open' : 'shut', bytes === body.size ? 'every byte arrived' : 'bytes are missing');
    note('open', 'Upload: ' + bytes.toLocaleString('en') + ' bytes of ' + name + ' counted in ' + ((performance.now() - startedAt) / 1000).toFixed(1) + ' s.');
  };
  request.onerror = () => { finish('shut', 'cut off'); note('shut', 'The upload was cut off.'); knock(); };
  request.onabort = () => finish('idle', 'stopped');
  request.open('POST', '/api/upload');
  request.send(body);
}

find('upload-made').addEventListener('click', () => send(new Blob([new Uint8Array(MADE_BYTES)]), 'zeros'));
find('upload-stop').addEventListener('click', () => sending?.abort());
find('upload-file').addEventListener('change', ({ target }) => {
  const [file] = target.files;
  if (file !== undefined) send(file, file.name);
  target.value = '';
});
onDoor(({ isOpen }) => { if (sending === undefined) find('upload-made').disabled = !isOpen; });
`;
