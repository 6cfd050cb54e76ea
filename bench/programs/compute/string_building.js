function execute() {
  let text = '';
  for (let i = 0; i < 5000; i++) text += String.fromCharCode(65 + (i % 26));
  let hash = 5381;
  for (let i = 0; i < text.length; i++) hash = (hash * 33 + text.charCodeAt(i)) | 0;
  return hash;
}
