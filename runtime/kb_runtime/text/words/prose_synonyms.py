"""What German, Russian and Arabic pages about software call a thing or an action that a question calls
otherwise: `Kennwort` and `Passwort`, `отключить` and `выключить`.

English questions have other words for names alone (`synonyms`): in prose these groups take as much as they
give there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

_GROUPS: Mapping[str, str] = {
    "de": """
löschen entfernen
erstellen anlegen erzeugen
ändern bearbeiten anpassen
einrichten konfigurieren einstellen
installieren einspielen
aktivieren einschalten
deaktivieren ausschalten abschalten
starten ausführen
beenden stoppen abbrechen
verschieben umziehen migrieren
kopieren duplizieren
speichern sichern
wiederherstellen zurückspielen
herunterladen download
hochladen upload
anmelden einloggen login
abmelden ausloggen logout
passwort kennwort
benutzer anwender nutzer
konto account benutzerkonto
rechner computer pc
bildschirm monitor
ordner verzeichnis
bild foto grafik
abbild image
begrenzen beschränken einschränken
erlauben zulassen freigeben
verbieten sperren blockieren verhindern
rechte berechtigungen
zeigen anzeigen darstellen
verbergen verstecken ausblenden
prüfen testen kontrollieren validieren
fehler problem
senden schicken verschicken übertragen
hinzufügen ergänzen
netz netzwerk
handy smartphone
vorlage muster template
nachricht meldung mitteilung
umwandeln konvertieren
aktualisieren updaten
raum zimmer
schnell performance
sicherung backup
schlüssel key
standard vorgabe default
anfrage request
antwort response
schnittstelle api
""",
    "ru": """
удалить убрать стереть
создать сделать сформировать
изменить поменять редактировать
настроить задать
установить поставить
включить активировать
отключить выключить деактивировать
запустить выполнить
остановить завершить прервать
перенести переместить
скопировать дублировать
сохранить записать
восстановить вернуть откатить
скачать загрузить
войти авторизоваться залогиниться
папка каталог директория
разрешить позволить
запретить заблокировать
права доступ разрешение
показать отобразить вывести
скрыть спрятать
найти искать
проверить тестировать
ошибка проблема сбой
отправить послать
добавить вставить
подключить соединить связать
объединить соединить слить
график диаграмма чарт
дашборд отчёт панель
преобразовать конвертировать
версия вариант
сообщение уведомление
задача задание
шаблон образец
скорость производительность
список массив
посчитать вычислить подсчитать рассчитать
нарисовать построить
""",
    "ar": """
حذف إزالة مسح
إنشاء بناء
تغيير تعديل تحرير
ضبط إعداد تهيئة
تثبيت تنصيب
تفعيل تشغيل
تعطيل إيقاف
تنفيذ تشغيل
نقل ترحيل
حفظ تخزين
استعادة استرجاع
تنزيل تحميل
تقييد حصر
منع حظر
صلاحيات أذونات
عرض إظهار
بحث إيجاد
تحقق فحص اختبار
خطأ مشكلة
إضافة إدراج
دالة تابع وظيفة
مصفوفة قائمة
صنف فئة
خاصية سمة
وسيط معامل
شيفرة كود برنامج
صفحة مستند وثيقة
عنصر عقدة
استدعاء نداء
""",
}


def prose_synonyms(language: str, stem: Callable[[str], str]) -> Mapping[str, tuple[str, ...]]:
    """The stems of the other words of its groups for the stem of each word of a language, if it has groups;
    `stem` gives that of a word in lower case."""
    found: dict[str, dict[str, None]] = {}
    for group in _GROUPS.get(language, "").strip().splitlines():
        stems = dict.fromkeys(map(stem, group.split()))
        for one in stems:
            found.setdefault(one, {}).update(dict.fromkeys(each for each in stems if each != one))
    return {one: tuple(others) for one, others in found.items()}
